-- Removes whatever the id holds or waits under. An id that is not known is remembered, so that an attempt which comes later is refused.
-- KEYS: state, counter, order and data of the waiters, tombstone. ARGV: id, life of a tombstone in ms. Answers 1 if nothing of the id can be granted any more.
local raw = redis.call('MGET', KEYS[1])[1]

local ORDER, WAITERS = KEYS[3], KEYS[4]
-- include now.lua
-- include state.lua

local id = ARGV[1]
local state = load(KEYS[1], raw)
if state and forget(state, id) then
  sweep(state)
  settle_and_save(KEYS[1], KEYS[2], state)
  return 0
end
redis.call('SET', KEYS[5], '', 'PX', ARGV[2])
return 1
