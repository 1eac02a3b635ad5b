-- A contended name: one exclusive holder, and only exclusive waiters. Every hand-over reads and writes it, often on a server that has
-- slept, where each step costs ten times as much: so it takes as few steps as possible.
-- As MessagePack, one after another: 'w', the number, until when the grant must be confirmed (0: it is), the number of waiters and of
-- fair ones, when the next and the last of them expire, until when their keys live, the id of the holder, and its data, as those of
-- each waiter: when it expires, whether it is fair, its channel, and the rest: mode, permits, since when, its readable name.

-- A grant that was sent to its waiter, and was not confirmed, falls back after this: longer than the longest poll; its holder may rely
-- on the rest of that time (RedisStore)
local CONFIRM = 2500000

-- How many tickets are served along one grant
local RUN = 64

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- A number as text. In two halves: %.0f is slow, and %d takes no more than 31 bits on small machines, and no fraction in Lua 5.4
local function digits(number)
  return string.format('%d%06d', math.floor(number / 1000000), number % 1000000)
end

-- Milliseconds from now until then
local function life(ends)
  return math.max(1, math.ceil((ends - now) / 1000))
end

-- Until when the keys of a name are to live, which live until 'kept', so that they outlast 'last': half as long again, since it takes
-- time to tell them
local function keep_until(last, kept)
  return last <= kept and kept or math.floor(last + (last - now) / 2)
end

-- Writes the state; all keys of the name live until 'kept', as they were told already if it 'was' the same. ORDER and WAITERS, the keys
-- of the waiters of the name, are set by each script
local function set(key, text, kept, was)
  if kept == was then
    redis.call('SET', key, text, 'KEEPTTL')
    return
  end
  redis.call('SET', key, text, 'PX', life(kept))
  redis.call('PEXPIRE', ORDER, life(kept))
  redis.call('PEXPIRE', WAITERS, life(kept))
end

-- The client whose ticket an id is
local function client_of(id)
  return string.sub(id, 1, 16)
end

-- The tickets of one client directly behind one that is granted, a blank before each: it serves them along that lease, and names them
-- when it releases it
local function run_behind(order, granted)
  local client, run, from = client_of(granted), {}, 0
  local next = redis.call('LINDEX', order, 0)
  if not next or client_of(next) ~= client then return '' end
  while from < RUN do
    local some = redis.call('LRANGE', order, from, from + 7)
    for _, id in ipairs(some) do
      if client_of(id) ~= client then return table.concat(run) end
      run[#run + 1] = ' ' .. id
    end
    if #some < 8 then break end
    from = from + 8
  end
  return table.concat(run)
end

-- Tells a client what it was granted. A channel with a tag is that of a bucket, which one node of a cluster serves
local function publish(channel, message)
  redis.pcall(string.find(channel, '}', 1, true) and 'SPUBLISH' or 'PUBLISH', channel, message)
end

-- Whether waiters that came behind so many created a key of the waiters, so that the key needs an expiry
local function was_lost(before, rests)
  return before == 0 or redis.call('PTTL', rests) == -1
end

-- All of it; nothing if the text is something else
local function read_contended(raw)
  -- As the letter is packed
  if string.sub(raw, 1, 2) ~= '\161w' then return end
  local read, _, number, confirm, waiting, fair, next, last, kept, id, ends, fairly, channel, rest = pcall(cmsgpack.unpack, raw)
  if read and rest then return number, confirm, waiting, fair, next, last, kept, id, ends, fairly, channel, rest end
end

local function write_contended(key, number, confirm, waiting, fair, next, last, was, id, ends, fairly, channel, rest)
  local kept = keep_until(math.max(last, ends), was)
  set(key, cmsgpack.pack('w', number, confirm, waiting, fair, next, last, kept, id, ends, fairly, channel, rest), kept, was)
end

-- A number above every earlier one of the bucket, also if the counter is lost or the clock was set back; and the same as text. If a least
-- one is given as text, that instead of the time.
local function mint(counter, least)
  local number, text = now, time[1] .. string.sub('00000' .. time[2], -6)
  if least then number, text = tonumber(least), least end
  local last = redis.call('SET', counter, text, 'GET')
  -- Numbers of as many digits compare as text
  if last and (last >= text or #last ~= #text) then
    number = math.max(number, (tonumber(last) or 0) + 1)
    text = digits(number)
    redis.call('SET', counter, text)
  end
  return number, text
end
