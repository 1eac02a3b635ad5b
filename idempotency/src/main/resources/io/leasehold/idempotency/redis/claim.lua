-- Answers a claim. KEYS: the claim. ARGV: owner, fingerprint, intent (claim, take, look), life and keep in ms.
-- Answers: {1, token, taken over}, running {2, ms left}, finished {3, kind, result}, lapsed {4, token}, other fingerprint {5}, absent {6}.
-- The key itself ends when the claim need not be known any more. What was given back leaves the last token for an hour.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local c = redis.call('HMGET', KEYS[1], 'owner', 'token', 'print', 'taken', 'expires', 'kind')
local owner, last, taken = c[1], c[2], 0
if owner then
  local lives = not c[6] and tonumber(c[5]) > now
  if lives and owner == ARGV[1] then return { 1, last, tonumber(c[4]) } end
  if c[3] ~= ARGV[2] then return { 5 } end
  if c[6] then return { 3, c[6], redis.call('HGET', KEYS[1], 'result') } end
  if lives then return { 2, tonumber(c[5]) - now } end
  if ARGV[3] == 'look' or (ARGV[3] ~= 'take' and owner ~= ARGV[1]) then return { 4, last } end
  if owner ~= ARGV[1] or c[4] == '1' then taken = 1 end
elseif ARGV[3] == 'look' then
  return { 6 }
end
-- Microseconds, or one more than the last; numbers of as many digits compare as text
local token = time[1] .. string.sub('00000' .. time[2], -6)
if last and (#last > #token or (#last == #token and last >= token)) then
  token = string.format('%.0f', tonumber(last) + 1)
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'token', token, 'print', ARGV[2], 'taken', taken,
  'expires', string.format('%.0f', now + ARGV[4]))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', ARGV[4] + ARGV[5]))
return { 1, token, taken }
