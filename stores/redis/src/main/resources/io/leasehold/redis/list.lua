-- Lists holders and waiters. Changes nothing. KEYS: the states, then the order of the waiters of each, then their data.
-- Answers for each name: holders {id, mode, permits, number, ms held, ms left, holder}..., waiters {id, mode, ms waited, holder}...
local names = #KEYS / 3
local raws = redis.call('MGET', unpack(KEYS, 1, names))

local ORDER, WAITERS
-- include now.lua
-- include state.lua

local function ms(micros)
  return math.max(0, math.floor(micros / 1000))
end

local answers = {}
for i = 1, names do
  local key, holders, waiters = KEYS[i], {}, {}
  ORDER, WAITERS = KEYS[names + i], KEYS[2 * names + i]
  local state = load(key, raws[i]) or nobody()
  for _, e in ipairs(state.holders) do
    if e[UNTIL] > now then
      -- A number is the time of its grant, unless the clock was set back
      table.insert(holders, { e[ID], e[MODE], e[PERMITS], e[NUMBER], ms(now - e[NUMBER]), ms(e[UNTIL] - now), e[HOLDER] })
    end
  end
  for _, id in ipairs(state.waiting > 0 and redis.call('LRANGE', state.order, 0, -1) or {}) do
    local e = waiter(state, id)
    if e and e[UNTIL] > now then table.insert(waiters, { e[ID], e[MODE], ms(now - e[SINCE]), e[HOLDER] }) end
  end
  answers[i] = { holders, waiters }
end
return answers
