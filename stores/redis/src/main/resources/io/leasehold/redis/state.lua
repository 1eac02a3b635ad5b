-- The state of one name. Times are microseconds of the server's clock.
--
-- A name that one ticket holds exclusively and nobody waits for is text: 'x', the fence number, the lease id and the holder, with
-- blanks between; the key expires with the lease. Whoever knows the number can compare it and delete it without a script.
-- Everything else is 'm' and MessagePack: { limit, holders, waiters }, both lists of entries, waiters by the order in which they came.
-- No key at all: nobody holds or waits.
local ID, MODE, PERMITS, FAIR, SINCE, UNTIL, NUMBER, CONFIRM_BY, CHANNEL, HOLDER = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

-- A grant that its waiter was told of, and that nobody confirmed, falls back after this: longer than the longest poll
local CONFIRM = 1500000

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function foreign()
  return { err = 'LEASEHOLD a key of a lock holds something else' }
end

local function simple(raw)
  local number, id, holder = string.match(raw, '^x(%d+) (%x+) (.*)$')
  return tonumber(number), id, holder
end

-- The state, or nil if the text is not one of ours
local function load(key, raw)
  if not raw then return { limit = 1, holders = {}, waiters = {} } end
  local number, id, holder = simple(raw)
  if number then
    local left = redis.call('PTTL', key) * 1000
    return { limit = 1, waiters = {}, holders = { { id, 'x', 1, 0, number, now + left, number, 0, '', holder } } }
  end
  if string.sub(raw, 1, 1) ~= 'm' then return nil end
  local read, state = pcall(cmsgpack.unpack, string.sub(raw, 2))
  if not read or type(state) ~= 'table' or #state ~= 3 then return nil end
  return { limit = state[1], holders = state[2], waiters = state[3] }
end

local function save(key, state)
  local holders, waiters = state.holders, state.waiters
  if #holders == 0 and #waiters == 0 then
    redis.call('DEL', key)
    return
  end
  local last = now
  for _, e in ipairs(holders) do last = math.max(last, e[UNTIL]) end
  for _, e in ipairs(waiters) do last = math.max(last, e[UNTIL]) end
  local life = string.format('%.0f', math.max(1, math.ceil((last - now) / 1000)))
  local one = holders[1]
  if #holders == 1 and #waiters == 0 and one[MODE] == 'x' and one[CONFIRM_BY] == 0 then
    redis.call('SET', key, string.format('x%.0f %s %s', one[NUMBER], one[ID], one[HOLDER]), 'PX', life)
  else
    redis.call('SET', key, 'm' .. cmsgpack.pack({ state.limit, holders, waiters }), 'PX', life)
  end
end

-- A number above every earlier one of the bucket, also if the counter is lost or the clock was set back
local function mint(counter)
  local number = now
  local last = tonumber(redis.call('SET', counter, string.format('%.0f', number), 'GET') or 0) or 0
  if last >= number then
    number = last + 1
    redis.call('SET', counter, string.format('%.0f', number))
  end
  return number
end

local function find(entries, id)
  for i, e in ipairs(entries) do
    if e[ID] == id then return e, i end
  end
end

-- Whether one who wants it so could have it beside those who hold it
local function fits(state, e)
  local used = 0
  for _, h in ipairs(state.holders) do
    if e[MODE] == 'x' or h[MODE] == 'x' then return false end
    used = used + h[PERMITS]
  end
  return e[MODE] ~= 'p' or used + e[PERMITS] <= state.limit
end

-- Whether one who waits comes before one who came later
local function comes_first(earlier, later)
  return (earlier[FAIR] == 1 and later[FAIR] == 1) or (earlier[MODE] == 'x' and later[MODE] == 's')
end

-- Whether the waiters before position i let an entry pass
local function may_pass(state, e, i)
  for j = 1, i - 1 do
    if comes_first(state.waiters[j], e) then return false end
  end
  return true
end

-- Grants to every waiter that can have it now, and tells each. After whatever came free.
local function settle(state, counter)
  local i = 1
  while i <= #state.waiters do
    local e = state.waiters[i]
    if fits(state, e) and may_pass(state, e, i) then
      e[NUMBER] = mint(counter)
      table.remove(state.waiters, i)
      e[CONFIRM_BY] = now + CONFIRM
      table.insert(state.holders, e)
      redis.pcall('PUBLISH', e[CHANNEL], e[ID])
    else
      i = i + 1
    end
  end
end

-- Drops what has expired; whom a grant did not reach waits again, behind the others. Whether there was any.
local function sweep(state)
  local changed = false
  for i = #state.waiters, 1, -1 do
    if state.waiters[i][UNTIL] <= now then
      table.remove(state.waiters, i)
      changed = true
    end
  end
  for i = #state.holders, 1, -1 do
    local e = state.holders[i]
    local unconfirmed = e[CONFIRM_BY] ~= 0
    if e[UNTIL] <= now or (unconfirmed and e[CONFIRM_BY] <= now) then
      table.remove(state.holders, i)
      changed = true
      if e[UNTIL] > now then
        e[NUMBER], e[CONFIRM_BY] = 0, 0
        table.insert(state.waiters, e)
      end
    end
  end
  return changed
end

local function remove(entries, id)
  local e, i = find(entries, id)
  if e then table.remove(entries, i) end
  return e
end

-- Does it also if the server is full: what is held must be kept, and what is let go must come free
local function even_if_full(key, work)
  if pcall(work) then return end
  -- A script that has written something may write on
  redis.call('PEXPIRE', key, math.max(1, redis.call('PTTL', key)))
  work()
end

-- After something came free: grants, and keeps what is left
local function settle_and_save(key, counter, state)
  even_if_full(key, function()
    settle(state, counter)
    save(key, state)
  end)
end
