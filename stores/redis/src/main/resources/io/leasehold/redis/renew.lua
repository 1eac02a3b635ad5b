-- Renews leases and keeps places alive: many names, several tickets of one name. A name that fails harms no other.
-- KEYS: the states, then the counter of each, the order of its waiters, and their data; or one state
-- alone, which fails if another client waits. ARGV: for each ticket the index of its state, id, ttl in ms; then
-- for each the number of the grant that was reported to it, which the renewal confirms, or 0.
-- Answers for each ticket three numbers: renewed 1, ms left, wanted; waits 2, mark; may attempt 3; gone 4; failed 5.
local names = KEYS[2] and #KEYS / 4 or 1
local told = #ARGV / 4 * 3
local raws = redis.call('MGET', unpack(KEYS, 1, names))
local answers = {}
local slow = nil

for i = 1, told, 3 do
  local name, id, ttl = tonumber(ARGV[i]), ARGV[i + 1], ARGV[i + 2]
  local raw = raws[name]
  local code, left, wanted = 4, 0, 0
  if raw and string.sub(raw, 1, 1) == 'x' then
    local blank = string.find(raw, ' ', 1, true)
    if blank and string.sub(raw, blank + 1, blank + 32) == id then
      local done = redis.pcall('PEXPIRE', KEYS[name], ttl)
      code, left = done == 1 and 1 or (done == 0 and 4 or 5), tonumber(ttl)
    end
  elseif raw and not KEYS[2] then
    code = 5
  elseif raw then
    slow = slow or {}
    slow[name] = slow[name] or {}
    table.insert(slow[name], i)
  end
  answers[i], answers[i + 1], answers[i + 2] = code, left, wanted
end
if not slow then return answers end

local ORDER, WAITERS
-- include now.lua
-- include state.lua

local function each(name, tickets)
  ORDER, WAITERS = KEYS[2 * names + name], KEYS[3 * names + name]
  local state = load(KEYS[name], raws[name])
  if not state then return end
  local changed = sweep(state)
  if changed then
    even_if_full(KEYS[name], function() settle(state, KEYS[names + name]) end)
  end
  local held = {}
  for _, e in ipairs(state.holders) do held[e[ID]] = e end
  local wanted = math.min(1, state.waiting)
  for _, i in ipairs(tickets) do
    local id, ttl = ARGV[i + 1], tonumber(ARGV[i + 2])
    local e = held[id]
    local waits = not e and state.waiting > 0 and waiter(state, id)
    if e and e[CONFIRM_BY] ~= 0 and digits(e[NUMBER]) ~= ARGV[told + (i + 2) / 3] then
      answers[i] = 3
    elseif e then
      e[CONFIRM_BY] = 0
      e[UNTIL] = now + ttl * 1000
      changed = true
      answers[i], answers[i + 1], answers[i + 2] = 1, ttl, wanted
    elseif waits then
      -- Written when a quarter of its life has passed: thousands may wait, and each is asked about every second
      if waits[UNTIL] - now < ttl * 750 then
        waits[UNTIL] = now + ttl * 1000
        keep(state, waits)
        changed = true
      end
      answers[i], answers[i + 1] = 2, mark(KEYS[names + name])
    end
  end
  if changed then
    even_if_full(KEYS[name], function() save(KEYS[name], state) end)
  end
end

for name, tickets in pairs(slow) do
  if not pcall(each, name, tickets) then
    for _, i in ipairs(tickets) do answers[i] = 5 end
  end
end
return answers
