-- Removes the lease with a fence number. KEYS: state, counter, order and data of the waiters. ARGV: number. Answers 1 if it was held.
local raw = redis.call('MGET', KEYS[1])[1]

local ORDER, WAITERS = KEYS[3], KEYS[4]
-- include now.lua
-- include state.lua

local state = load(KEYS[1], raw)
if not state then return foreign() end
local swept = sweep(state)
local broken = 0
for i, e in ipairs(state.holders) do
  if digits(e[NUMBER]) == ARGV[1] then
    table.remove(state.holders, i)
    broken = 1
    break
  end
end
if swept or broken == 1 then settle_and_save(KEYS[1], KEYS[2], state) end
return broken
