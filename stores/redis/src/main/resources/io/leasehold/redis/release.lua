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
-- include contended.lua

-- Drops those that were served, if they are the first in the queue, as they are unless something went wrong
local function drop_served(served)
  local first = redis.call('LRANGE', ORDER, 0, served - 1)
  for i = 1, served do
    if first[i] ~= ARGV[i + 1] then return false end
  end
  redis.call('LPOP', ORDER, served)
  redis.call('HDEL', WAITERS, unpack(first))
  return true
end

-- Hands the name over to the first waiter; nil if there is more to do
local function hand_over()
  local _, confirm, waiting, fair, next, last, kept, id, ends = read_contended(raw)
  if id ~= ARGV[1] or ends <= now or (confirm ~= 0 and confirm <= now) then return nil end
  if waiting > 0 and next <= now then return nil end
  local served = #ARGV - 1
  if served > 0 then
    if not drop_served(served) then return nil end
    waiting, fair = waiting - served, fair - served
  end
  if waiting == 0 then
    redis.call('DEL', KEYS[1])
    return 1
  end
  -- The first thing written takes no memory: a script that has written something may write on, also if the server is full
  local granted = redis.call('LPOP', ORDER)
  local packed = granted and redis.call('HGET', WAITERS, granted)
  if not packed then return nil end
  redis.call('HDEL', WAITERS, granted)
  local fairly, channel, rest
  ends, fairly, channel, rest = cmsgpack.unpack(packed)
  local number, text = mint(KEYS[2])
  waiting = waiting - 1
  write_contended(KEYS[1], number, now + CONFIRM, waiting, fair - fairly, next, last, kept, granted, ends, fairly, channel, rest)
  local message = granted .. ' ' .. text .. (waiting > 0 and ' 1' or ' 0')
  if fairly == 1 and waiting > 0 then message = message .. run_behind(ORDER, granted) end
  if client_of(granted) == client_of(ARGV[1]) then return message end
  publish(channel, message)
  return 1
end

local given = hand_over()
if given then return given end

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
