-- Grants, queues or refuses. KEYS: state, tombstone of the id, counter, order and data of the waiters.
-- ARGV: id, mode, ttl in ms, holder, and what the common case does not read: permits, limit, queue or try, fair, channel; then, if the
-- ticket asks for one, the least number that it takes, instead of the time, else nothing or an empty text. A seventh: to do nothing in a
-- bucket without a number, since another layout may be in use since it was lost.
-- Answers: granted {1, number, ms left, wanted, or also its run}, queued {2, place, holder, mark}, busy {3, ms to the first end, holder}, other kind {4, mode, limit},
-- nothing done {5}.
local found = redis.call('MGET', KEYS[1], KEYS[2], KEYS[3])
local raw = found[1]
if found[2] then return { 3, 0, '' } end
if ARGV[7] and not found[3] then return { 5 } end

local id, mode, least = ARGV[1], ARGV[2], ARGV[6] ~= '' and ARGV[6]
if not raw and mode == 'x' then
  -- The common case, without what the others need; numbers of as many digits compare as text
  local number = least
  if not number then
    local time = redis.call('TIME')
    number = time[1] .. string.sub('00000' .. time[2], -6)
  end
  local last = redis.call('SET', KEYS[3], number, 'GET')
  if last and (last >= number or #last ~= #number) then
    number = string.format('%.0f', math.max(tonumber(number), (tonumber(last) or 0) + 1))
    redis.call('SET', KEYS[3], number)
  end
  -- NX: what is not text is not seen by MGET and must not be overwritten
  if not redis.call('SET', KEYS[1], 'x' .. number .. ' ' .. id .. ' ' .. ARGV[4], 'NX', 'PX', ARGV[3]) then
    return { err = 'LEASEHOLD a key of a lock holds something else' }
  end
  return { 1, number, ARGV[3], 0 }
end

local ORDER, WAITERS = KEYS[4], KEYS[5]
-- include contended.lua

-- Queues up behind other exclusive waiters; nil if there is more to do
local function queue_up()
  local fairly, channel = string.match(ARGV[5], '^1 1 queue (%d) (.*)$')
  if not fairly or not raw or mode ~= 'x' then return nil end
  local number, confirm, waiting, fair, next, last, kept, holding, ends, holder_fairly, holder_channel, rest = read_contended(raw)
  if not number then
    local name
    number, holding, name = string.match(raw, '^x(%d+) (%x+) (.*)$')
    if not number then return nil end
    number, ends = tonumber(number), now + redis.call('PTTL', KEYS[1]) * 1000
    holder_fairly, holder_channel, rest = 0, '', cmsgpack.pack('x', 1, number, name)
    confirm, waiting, fair, next, last, kept = 0, 0, 0, 0, 0, 0
  end
  if holding == id or ends <= now or (confirm ~= 0 and confirm <= now) or (waiting > 0 and next <= now) then return nil end
  if waiting == 0 then
    -- What a state that was lost has left
    if redis.call('EXISTS', ORDER, WAITERS) > 0 then redis.call('DEL', ORDER, WAITERS) end
    kept = 0
  end
  local mine = now + ARGV[3] * 1000
  fairly = tonumber(fairly)
  if redis.call('HSETNX', WAITERS, id, cmsgpack.pack(mine, fairly, channel, cmsgpack.pack('x', 1, now, ARGV[4]))) == 0 then return nil end
  local placed = redis.call('RPUSH', ORDER, id)
  if was_lost(placed, WAITERS) then kept = 0 end
  next = waiting > 0 and math.min(next, mine) or mine
  last = math.max(last, mine)
  write_contended(KEYS[1], number, confirm, waiting + 1, fair + fairly, next, last, kept, holding, ends, holder_fairly, holder_channel, rest)
  local _, _, _, who = cmsgpack.unpack(rest)
  return { 2, waiting, who, math.max(now - 1, tonumber(found[3] or 0) or 0) }
end

local given = queue_up()
if given then return given end

-- include state.lua

if not raw and redis.call('EXISTS', KEYS[1]) == 1 then return foreign() end
local state = load(KEYS[1], raw)
if not state then return foreign() end
local ttl = tonumber(ARGV[3])
local permits, limit, intent, fair, channel = string.match(ARGV[5], '^(%d+) (%d+) (%a+) (%d) (.*)$')
permits, limit, fair = tonumber(permits), tonumber(limit), tonumber(fair)
local changed = sweep(state)
if changed then settle(state, KEYS[3]) end

local function soonest()
  local first = nil
  for _, h in ipairs(state.holders) do first = math.min(first or h[UNTIL], h[UNTIL]) end
  return first and math.ceil((first - now) / 1000) or 0
end

local function answer()
  local mine = holding(state, id)
  local wanted = math.min(1, state.waiting)
  if mine then
    if mine[CONFIRM_BY] ~= 0 then
      mine[CONFIRM_BY] = 0
      changed = true
    end
    if least and tonumber(least) > mine[NUMBER] then
      mine[NUMBER] = tonumber(least)
      if (tonumber(redis.call('MGET', KEYS[3])[1] or 0) or 0) < mine[NUMBER] then redis.call('SET', KEYS[3], least) end
      changed = true
    end
    return { 1, mine[NUMBER], math.floor((mine[UNTIL] - now) / 1000), wanted, run_of(state, mine) }
  end
  local one = state.holders[1] or (wanted == 1 and waiter(state, redis.call('LINDEX', state.order, 0)))
  if one and ((one[MODE] == 'p') ~= (mode == 'p') or state.limit ~= limit) then
    return { 4, one[MODE], state.limit }
  end
  state.limit = limit
  local e = wanted == 1 and waiter(state, id)
  local queued = e and true
  e = e or { id, mode, permits, fair, now, 0, 0, 0, channel, ARGV[4] }
  e[UNTIL] = now + ttl * 1000
  -- A ticket that waits already was granted the name if that is possible
  if not queued and not is_exclusive(state) and fits(state, e) and may_pass(e, state.writers, state.fair) then
    grant(state, e, KEYS[3], least)
    changed = true
    return { 1, e[NUMBER], ttl, wanted }
  end
  local holder = state.holders[1] and state.holders[1][HOLDER] or ''
  if intent == 'try' then return { 3, soonest(), holder } end
  changed = true
  if queued then
    keep(state, e)
    return { 2, redis.call('LPOS', state.order, id) or 0, holder, mark(KEYS[3]) }
  end
  add_waiter(state, e)
  return { 2, state.waiting - 1, holder, mark(KEYS[3]) }
end

given = answer()
if changed then save(KEYS[1], state) end
return given
