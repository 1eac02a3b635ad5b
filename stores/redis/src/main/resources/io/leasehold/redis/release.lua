-- Frees the lease of an id. KEYS: state, counter, order and data of the waiters; or the state alone, if no other client waits. ARGV: id,
-- and the ids that were served along the lease.
-- Answers 1 if it was held, 0 if not; or what is to be heard on the channel of the client, if it was and the next one is of the same client.
local raw = redis.call('MGET', KEYS[1])[1]
if not raw then return 0 end
if string.sub(raw, 1, 1) == 'x' then
  -- The common case, without what the others need
  local blank = string.find(raw, ' ', 1, true)
  if not blank or string.sub(raw, blank + 1, blank + 32) ~= ARGV[1] then return 0 end
  redis.call('DEL', KEYS[1])
  return 1
end

if not KEYS[2] then return { err = 'TRYAGAIN the other keys are needed' } end
local ORDER, WAITERS = KEYS[3], KEYS[4]
-- include now.lua

-- The usual hand-over of a contended name: see contended.lua
if string.sub(raw, 1, 2) == '\161w' then
  local read, _, _, confirm, waiting, fair, next, last, kept, id, ends, _, _, rest = pcall(cmsgpack.unpack, raw)
  local usual = read and rest and id == ARGV[1] and ends > now and (confirm == 0 or confirm > now)
    and (waiting == 0 or next > now)
  local served = #ARGV - 1
  if usual and served > 0 then
    -- Drops those that were served, if they are the first in the queue, as they are unless something went wrong
    local first = redis.call('LRANGE', ORDER, 0, served - 1)
    for i = 1, served do usual = usual and first[i] == ARGV[i + 1] end
    if usual then
      redis.call('LPOP', ORDER, served)
      redis.call('HDEL', WAITERS, unpack(first))
      waiting, fair = waiting - served, fair - served
    end
  end
  if usual and waiting == 0 then
    redis.call('DEL', KEYS[1])
    return 1
  end
  -- The first thing written takes no memory: a script that has written something may write on, also if the server is full
  local granted = usual and redis.call('LPOP', ORDER)
  local packed = granted and redis.call('HGET', WAITERS, granted)
  if packed then
    redis.call('HDEL', WAITERS, granted)
    local fairly, channel
    ends, fairly, channel, rest = cmsgpack.unpack(packed)
    local counter, least = KEYS[2], nil
    -- include number.lua
    waiting = waiting - 1
    redis.call('SET', KEYS[1], cmsgpack.pack(
      'w', number, now + CONFIRM, waiting, fair - fairly, next, last, kept, granted, ends, fairly, channel, rest), 'KEEPTTL')
    local message = granted .. ' ' .. text .. (waiting > 0 and ' 1' or ' 0')
    if fairly == 1 and waiting > 0 then
      -- include run.lua
      message = message .. run_behind(ORDER, granted)
    end
    if string.sub(granted, 1, 16) == string.sub(ARGV[1], 1, 16) then return message end
    redis.pcall(string.find(channel, '}', 1, true) and 'SPUBLISH' or 'PUBLISH', channel, message)
    return 1
  end
end

-- include state.lua

local state = load(KEYS[1], raw)
if not state then return 0 end
local swept = sweep(state)
for n = 2, #ARGV do swept = forget(state, ARGV[n]) or swept end
local held, i = holding(state, ARGV[1])
if held then table.remove(state.holders, i) end
if held or swept then
  settle_and_save(KEYS[1], KEYS[2], state)
end
return held and 1 or 0
