-- Frees the lease of an id. KEYS: state, counter. ARGV: id. Answers 1 if it was held.
local raw = redis.call('MGET', KEYS[1])[1]
if not raw then return 0 end
if string.sub(raw, 1, 1) == 'x' then
  -- The common case, without what the others need
  local blank = string.find(raw, ' ', 1, true)
  if not blank or string.sub(raw, blank + 1, blank + 32) ~= ARGV[1] then return 0 end
  redis.call('DEL', KEYS[1])
  return 1
end

-- include state.lua

local state = load(KEYS[1], raw)
if not state then return 0 end
local swept = sweep(state)
local held, i = holding(state, ARGV[1])
if held then table.remove(state.holders, i) end
if held or swept then
  settle_and_save(KEYS[1], KEYS[2], state)
end
return held and 1 or 0
