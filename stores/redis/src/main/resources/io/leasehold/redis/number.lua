-- A part of others: 'number' is above every earlier one of the bucket, also if its 'counter' is lost or the clock was set back, and 'text'
-- is the same. A 'least' one may take the place of the time
local number, text = now, time[1] .. string.sub('00000' .. time[2], -6)
if least then number, text = tonumber(least), least end
local before = redis.call('SET', counter, text, 'GET')
-- Numbers of as many digits compare as text
if before and (before >= text or #before ~= #text) then
  number = math.max(number, (tonumber(before) or 0) + 1)
  text = string.format('%.0f', number)
  redis.call('SET', counter, text)
end
