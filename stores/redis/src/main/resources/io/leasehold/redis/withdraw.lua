-- Removes whatever the id holds or waits under. An id that is not known is remembered, so that an attempt which comes later is refused.
-- KEYS: state, tombstone, counter, order and data of the waiters. ARGV: id, life of a tombstone in ms. Answers 1 if nothing of the id can be granted any more.
local raw = redis.call('MGET', KEYS[1])[1]

local ORDER, WAITERS = KEYS[4], KEYS[5]
-- include contended.lua
-- include state.lua

local id = ARGV[1]
local state = load(KEYS[1], raw)
if state and forget(state, id) then
  sweep(state)
  settle_and_save(KEYS[1], KEYS[3], state)
  return 0
end
redis.call('SET', KEYS[2], '', 'PX', ARGV[2])
return 1
