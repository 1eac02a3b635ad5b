-- Grants, queues or refuses tickets of one client that want the same, in their order. KEYS: state, counter, order and data of the waiters, then
-- the tombstone of each id. ARGV: 1 to do nothing in a bucket without a number, since another layout may be in use since it was lost, or 0,
-- then mode, permits, limit, queue or try, fair and channel, with blanks between; the least number that the ticket takes, instead of the
-- time, or nothing; then id, ttl in ms and holder of each.
-- Answers for one, or a list of answers for several: granted {1, number, ms left, wanted, or also its run}, queued {2, place, holder, mark},
-- busy {3, ms to the first end, holder}, other kind {4, mode, limit}, nothing done {5}.
local found = redis.call('MGET', KEYS[1], KEYS[2], KEYS[5])
local raw, several = found[1], KEYS[6]
if not found[2] and string.sub(ARGV[1], 1, 1) == '1' then return several and { { 5 } } or { 5 } end
if found[3] and not several then return { 3, 0, '' } end

local mode, least = string.sub(ARGV[1], 3, 3), ARGV[2] ~= '' and ARGV[2]
if not raw and mode == 'x' and not several then
  -- The common case, without what the others need; numbers of as many digits compare as text
  local number = least
  if not number then
    local time = redis.call('TIME')
    number = time[1] .. string.sub('00000' .. time[2], -6)
  end
  local last = redis.call('SET', KEYS[2], number, 'GET')
  if last and (last >= number or #last ~= #number) then
    number = string.format('%.0f', math.max(tonumber(number), (tonumber(last) or 0) + 1))
    redis.call('SET', KEYS[2], number)
  end
  -- NX: what is not text is not seen by MGET and must not be overwritten
  if not redis.call('SET', KEYS[1], 'x' .. number .. ' ' .. ARGV[3] .. ' ' .. ARGV[5], 'NX', 'PX', ARGV[4]) then
    return { err = 'LEASEHOLD a key of a lock holds something else' }
  end
  return { 1, number, ARGV[4], 0 }
end

local ORDER, WAITERS = KEYS[3], KEYS[4]
-- include now.lua

local size = #KEYS - 4
local withdrawn = several and redis.call('MGET', unpack(KEYS, 5)) or {}
local answers = {}

-- How many have one
local done = 0

-- Queues up behind other exclusive waiters of a contended name, or behind its holder (see contended.lua), as many as it can
local fairly, channel = string.match(ARGV[1], '^%d x 1 1 queue (%d) (.*)$')
if fairly and raw then
  local read, _, number, confirm, waiting, fair, next, last, kept, holding, ends, holder_fairly, holder_channel, rest
  if string.sub(raw, 1, 2) == '\161w' then
    read, _, number, confirm, waiting, fair, next, last, kept, holding, ends, holder_fairly, holder_channel, rest = pcall(cmsgpack.unpack, raw)
    read = read and rest
  else
    number, holding, rest = string.match(raw, '^x(%d+) (%x+) (.*)$')
    read = number
    if read then
      number, ends = tonumber(number), now + redis.call('PTTL', KEYS[1]) * 1000
      holder_fairly, holder_channel, rest = 0, '', cmsgpack.pack('x', 1, number, rest)
      confirm, waiting, fair, next, last, kept = 0, 0, 0, 0, 0, 0
    end
  end
  if read and ends > now and (confirm == 0 or confirm > now) and (waiting == 0 or next > now) then
    if waiting == 0 then
      -- What a state that was lost has left
      if redis.call('EXISTS', ORDER, WAITERS) > 0 then redis.call('DEL', ORDER, WAITERS) end
      kept = 0
    end
    fairly = tonumber(fairly)
    local who = select(4, cmsgpack.unpack(rest))
    local mark, ids = math.max(now - 1, tonumber(found[2] or 0) or 0), {}
    for i = 1, size do
      local id, ttl, name = ARGV[3 * i], ARGV[3 * i + 1], ARGV[3 * i + 2]
      if withdrawn[i] or id == holding then break end
      local mine = now + ttl * 1000
      local data = cmsgpack.pack(mine, fairly, channel, cmsgpack.pack('x', 1, now, name))
      if redis.call('HSETNX', WAITERS, id, data) == 0 then break end
      ids[i], answers[i] = id, { 2, waiting, who, mark }
      next = waiting > 0 and math.min(next, mine) or mine
      last = math.max(last, mine)
      waiting = waiting + 1
    end
    done = #ids
    if done > 0 then
      local placed = redis.call('RPUSH', ORDER, unpack(ids))
      -- If this created a key of the waiters, the key needs an expiry
      if placed == done or redis.call('PTTL', WAITERS) == -1 then kept = 0 end
      -- include contended.lua
      write_contended(KEYS[1], number, confirm, waiting, fair + done * fairly, next, last, kept, holding, ends, holder_fairly, holder_channel, rest)
    end
  end
end
if done == size then return several and answers or answers[1] end
if done > 0 then raw = redis.call('MGET', KEYS[1])[1] end

-- include state.lua

if not raw and redis.call('EXISTS', KEYS[1]) == 1 then return foreign() end
local state = load(KEYS[1], raw)
if not state then return foreign() end
local permits, limit, intent, fair, channel = string.match(ARGV[1], '^%d %a (%d+) (%d+) (%a+) (%d) (.*)$')
permits, limit, fair = tonumber(permits), tonumber(limit), tonumber(fair)
local changed = sweep(state)
if changed then settle(state, KEYS[2]) end

local function soonest()
  local first = nil
  for _, h in ipairs(state.holders) do first = math.min(first or h[UNTIL], h[UNTIL]) end
  return first and math.ceil((first - now) / 1000) or 0
end

local function answer(id, ttl, name)
  local mine = holding(state, id)
  local wanted = math.min(1, state.waiting)
  if mine then
    if mine[CONFIRM_BY] ~= 0 then
      mine[CONFIRM_BY] = 0
      changed = true
    end
    if least and tonumber(least) > mine[NUMBER] then
      mine[NUMBER] = tonumber(least)
      if (tonumber(redis.call('MGET', KEYS[2])[1] or 0) or 0) < mine[NUMBER] then redis.call('SET', KEYS[2], least) end
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
  e = e or { id, mode, permits, fair, now, 0, 0, 0, channel, name }
  e[UNTIL] = now + ttl * 1000
  -- A ticket that waits already was granted the name if that is possible
  if not queued and not is_exclusive(state) and fits(state, e) and may_pass(e, state.writers, state.fair) then
    grant(state, e, KEYS[2], least)
    changed = true
    return { 1, e[NUMBER], ttl, wanted }
  end
  local holder = state.holders[1] and state.holders[1][HOLDER] or ''
  if intent == 'try' then return { 3, soonest(), holder } end
  changed = true
  if queued then
    keep(state, e)
    return { 2, redis.call('LPOS', state.order, id) or 0, holder, mark(KEYS[2]) }
  end
  add_waiter(state, e)
  return { 2, state.waiting - 1, holder, mark(KEYS[2]) }
end

for i = done + 1, size do
  answers[i] = withdrawn[i] and { 3, 0, '' } or answer(ARGV[3 * i], ARGV[3 * i + 1], ARGV[3 * i + 2])
  -- By those that come with it
  if i < size and answers[i][1] == 1 then answers[i][4] = 1 end
end
if changed then save(KEYS[1], state) end
return several and answers or answers[1]
