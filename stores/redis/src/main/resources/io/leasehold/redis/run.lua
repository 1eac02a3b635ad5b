-- How many tickets are served along one grant
local RUN = 64

-- The client whose ticket an id is
local function client_of(id)
  return string.sub(id, 1, 16)
end

-- The tickets of one client directly behind one that is granted, a blank before each: it serves them along that lease, and names them
-- when it releases it
local function run_behind(order, granted)
  local client, run, from = client_of(granted), {}, 0
  local next = redis.call('LINDEX', order, 0)
  if not next or client_of(next) ~= client then return '' end
  while from < RUN do
    local some = redis.call('LRANGE', order, from, from + 7)
    for _, id in ipairs(some) do
      if client_of(id) ~= client then return table.concat(run) end
      run[#run + 1] = ' ' .. id
    end
    if #some < 8 then break end
    from = from + 8
  end
  return table.concat(run)
end
