-- The state of one name. Times are microseconds of the server's clock.
-- A name with one exclusive holder and no waiter is text: 'x', the fence number, the lease id and the holder, separated by blanks; the
-- key expires with the lease. A client that knows the number compares and deletes it without a script.
-- A name with an exclusive holder and only exclusive waiters, or with a grant that is not confirmed: see contended.lua.
-- Any other name is 'm' and MessagePack: { limit, holders, waiting, writers, fair, next, last, kept }: the number of waiters, of
-- exclusive ones and of fair ones; the next of them expires not before 'next', the last not after 'last'. A list has the ids of the
-- waiters in the order of their arrival, and a hash their other data, so that a long queue costs no more than a short one; both live
-- at least until 'kept'.
-- A name without a holder or a waiter has no key.

-- include contended.lua
-- include run.lua

-- A number as text. In two halves: %.0f is slow, and %d takes no more than 31 bits on small machines, and no fraction in Lua 5.4
local function digits(number)
  return string.format('%d%06d', math.floor(number / 1000000), number % 1000000)
end

-- Tells a client what it was granted. A channel with a tag is that of a bucket, which one node of a cluster serves
local function publish(channel, message)
  redis.pcall(string.find(channel, '}', 1, true) and 'SPUBLISH' or 'PUBLISH', channel, message)
end

-- See number.lua; if a least one is given as text, that instead of the time
local function mint(counter, least)
  -- include number.lua
  return number, text
end

-- The fields of a holder or a waiter
local ID, MODE, PERMITS, FAIR, SINCE, UNTIL, NUMBER, CONFIRM_BY, CHANNEL, HOLDER = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

local function foreign()
  return { err = 'LEASEHOLD a key of a lock holds something else' }
end

local function simple(raw)
  local number, id, holder = string.match(raw, '^x(%d+) (%x+) (.*)$')
  return tonumber(number), id, holder
end

local function nobody()
  return {
    limit = 1, holders = {}, waiting = 0, writers = 0, fair = 0, next = 0, last = 0, kept = 0,
    order = ORDER, rests = WAITERS,
  }
end

-- Writes a waiter, and reads it
local function pack(e)
  return e[UNTIL], e[FAIR], e[CHANNEL], cmsgpack.pack(e[MODE], e[PERMITS], e[SINCE], e[HOLDER])
end

local function unpacked(id, ends, fair, channel, rest)
  local mode, permits, since, holder = cmsgpack.unpack(rest)
  return { id, mode, permits, fair, since, ends, 0, 0, channel, holder }
end

-- All of it; nothing if the text is something else
local function read_contended(raw)
  -- As the letter is packed
  if string.sub(raw, 1, 2) ~= '\161w' then return end
  local read, _, number, confirm, waiting, fair, next, last, kept, id, ends, fairly, channel, rest = pcall(cmsgpack.unpack, raw)
  if read and rest then return number, confirm, waiting, fair, next, last, kept, id, ends, fairly, channel, rest end
end

-- The state of what that reads; nil if it reads nothing
local function contended(number, confirm, waiting, fair, next, last, kept, ...)
  if not number then return nil end
  local state = nobody()
  local holder = unpacked(...)
  holder[NUMBER], holder[CONFIRM_BY] = number, confirm
  state.holders[1] = holder
  state.waiting, state.writers, state.fair, state.next, state.last, state.kept = waiting, waiting, fair, next, last, kept
  return state
end

-- The state, or nil if the text is not one of ours
local function load(key, raw)
  if not raw then return nobody() end
  local number, id, holder = simple(raw)
  if number then
    local state = nobody()
    local left = redis.call('PTTL', key) * 1000
    state.holders[1] = { id, 'x', 1, 0, number, now + left, number, 0, '', holder }
    return state
  end
  if string.sub(raw, 1, 1) ~= 'm' then return contended(read_contended(raw)) end
  local read, state = pcall(cmsgpack.unpack, string.sub(raw, 2))
  if not read or type(state) ~= 'table' or #state ~= 8 then return nil end
  local loaded = nobody()
  loaded.limit, loaded.holders, loaded.waiting, loaded.writers = state[1], state[2], state[3], state[4]
  loaded.fair, loaded.next, loaded.last, loaded.kept = state[5], state[6], state[7], state[8]
  return loaded
end

local function waiter(state, id)
  local rest = redis.call('HGET', state.rests, id)
  return rest and unpacked(id, cmsgpack.unpack(rest))
end

local function keep(state, e)
  state.next = state.waiting > 0 and math.min(state.next, e[UNTIL]) or e[UNTIL]
  state.last = math.max(state.last, e[UNTIL])
  redis.call('HSET', state.rests, e[ID], cmsgpack.pack(pack(e)))
end

local function count(state, e, by)
  state.waiting = state.waiting + by
  state.writers = state.writers + (e[MODE] == 'x' and by or 0)
  state.fair = state.fair + (e[FAIR] == 1 and by or 0)
end

local function forget_waiters(state)
  state.waiting, state.writers, state.fair, state.kept = 0, 0, 0, 0
  if redis.call('EXISTS', state.order, state.rests) > 0 then redis.call('DEL', state.order, state.rests) end
end

local function add_waiter(state, e)
  -- The rest of a state that was lost
  if state.waiting == 0 then forget_waiters(state) end
  keep(state, e)
  count(state, e, 1)
  local placed = redis.call('RPUSH', state.order, e[ID])
  -- If this created a key of the waiters, the key needs an expiry
  if placed == 1 or redis.call('PTTL', state.rests) == -1 then state.kept = 0 end
end

local function remove_waiter(state, e)
  count(state, e, -1)
  redis.call('HDEL', state.rests, e[ID])
  redis.call('LREM', state.order, 1, e[ID])
end

local function save(key, state)
  local holders = state.holders
  local alone = state.waiting == 0
  if #holders == 0 and alone then
    redis.call('DEL', key)
    return
  end
  local one = holders[1]
  if #holders == 1 and one[MODE] == 'x' and alone and one[CONFIRM_BY] == 0 then
    redis.call('SET', key, 'x' .. digits(one[NUMBER]) .. ' ' .. one[ID] .. ' ' .. one[HOLDER], 'PX', life(one[UNTIL]))
  elseif #holders == 1 and one[MODE] == 'x' and state.writers == state.waiting then
    write_contended(key, one[NUMBER], one[CONFIRM_BY], state.waiting, state.fair, state.next, state.last, state.kept, one[ID], pack(one))
  else
    local last = alone and now or state.last
    for _, e in ipairs(holders) do last = math.max(last, e[UNTIL]) end
    local kept = keep_until(last, state.kept)
    local packed = cmsgpack.pack({
      state.limit, holders, state.waiting, state.writers, state.fair, state.next, state.last, kept,
    })
    set(key, 'm' .. packed, kept, state.kept)
  end
end

-- Not below any number of the bucket so far, and below every later one, also one of this microsecond
local function mark(counter)
  return math.max(now - 1, tonumber(redis.call('MGET', counter)[1] or 0) or 0)
end

local function holding(state, id)
  for i, e in ipairs(state.holders) do
    if e[ID] == id then return e, i end
  end
end

-- Whether the ticket could hold the name together with the present holders
local function fits(state, e)
  local used = 0
  for _, h in ipairs(state.holders) do
    if e[MODE] == 'x' or h[MODE] == 'x' then return false end
    used = used + h[PERMITS]
  end
  return e[MODE] ~= 'p' or used + e[PERMITS] <= state.limit
end

-- Whether the waiters before the ticket let it pass
local function may_pass(e, writers, fair)
  return not (e[FAIR] == 1 and fair > 0) and not (e[MODE] == 's' and writers > 0)
end

-- Whether the name has an exclusive holder, so that no ticket could hold it now
local function is_exclusive(state)
  return #state.holders > 0 and state.holders[1][MODE] == 'x'
end

local function grant(state, e, counter, least)
  e[NUMBER] = mint(counter, least)
  table.insert(state.holders, e)
end

-- As run_behind, of a holder
local function run_of(state, e)
  return e[MODE] == 'x' and e[FAIR] == 1 and state.waiting > 0 and run_behind(state.order, e[ID]) or ''
end

-- Grants the name to every waiter that can have it now, and sends each a message: id, number, whether others wait, its run. After a release.
local function settle(state, counter)
  local writers, fair, passed = 0, 0, 0
  local granted = {}
  while passed < state.waiting and not is_exclusive(state) do
    local id = redis.call('LINDEX', state.order, passed)
    local e = id and waiter(state, id)
    if not e then
      -- Data of the waiters was lost: they come again
      forget_waiters(state)
    elseif fits(state, e) and may_pass(e, writers, fair) then
      grant(state, e, counter)
      remove_waiter(state, e)
      e[CONFIRM_BY] = now + CONFIRM
      table.insert(granted, e)
    else
      passed = passed + 1
      writers = writers + (e[MODE] == 'x' and 1 or 0)
      fair = fair + (e[FAIR] == 1 and 1 or 0)
    end
  end
  local wanted = math.min(1, state.waiting)
  for _, e in ipairs(granted) do
    publish(e[CHANNEL], e[ID] .. ' ' .. digits(e[NUMBER]) .. ' ' .. wanted .. run_of(state, e))
  end
end

-- Drops waiters that have expired
local function sweep_waiters(state)
  local next = state.last
  for _, id in ipairs(redis.call('LRANGE', state.order, 0, -1)) do
    local e = waiter(state, id)
    if e and e[UNTIL] <= now then
      remove_waiter(state, e)
    elseif e then
      next = math.min(next, e[UNTIL])
    end
  end
  state.next = next
end

-- Drops all waiters of a channel: their process polls them together
local function forget_channel(state, channel)
  for _, id in ipairs(redis.call('LRANGE', state.order, 0, -1)) do
    local e = waiter(state, id)
    if e and e[CHANNEL] == channel then remove_waiter(state, e) end
  end
end

-- Drops what has expired, and a grant that was not confirmed, with all waiters of its channel: their process is gone, or so slow
-- that they come again. Returns whether there was any.
local function sweep(state)
  local changed = false
  if state.waiting > 0 and state.next <= now then
    sweep_waiters(state)
    changed = true
  end
  for i = #state.holders, 1, -1 do
    local e = state.holders[i]
    local unconfirmed = e[CONFIRM_BY] ~= 0 and e[CONFIRM_BY] <= now
    if e[UNTIL] <= now or unconfirmed then
      table.remove(state.holders, i)
      changed = true
      if unconfirmed and state.waiting > 0 then forget_channel(state, e[CHANNEL]) end
    end
  end
  return changed
end

-- Removes the lease or the place of an id; returns whether there was one
local function forget(state, id)
  local _, i = holding(state, id)
  if i then
    table.remove(state.holders, i)
    return true
  end
  local e = state.waiting > 0 and waiter(state, id)
  if e then remove_waiter(state, e) end
  return e and true
end

-- Works even if the server is full: a held lease must stay, and a released one must come free
local function even_if_full(key, work)
  if pcall(work) then return end
  -- A script that has written something may write on
  redis.call('PEXPIRE', key, math.max(1, redis.call('PTTL', key)))
  work()
end

-- After something came free: grants, and keeps what is left
local function settle_and_save(key, counter, state)
  even_if_full(key, function()
    settle(state, counter)
    save(key, state)
  end)
end
