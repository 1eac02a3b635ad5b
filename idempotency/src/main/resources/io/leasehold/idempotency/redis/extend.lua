-- Extends a claim that lives. KEYS: the claim. ARGV: owner, token, life and keep in ms. Answers 1 if it did.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local c = redis.call('HMGET', KEYS[1], 'owner', 'token', 'expires', 'kind')
if c[1] ~= ARGV[1] or c[2] ~= ARGV[2] or c[4] or tonumber(c[3]) <= now then return 0 end
redis.call('HSET', KEYS[1], 'expires', string.format('%.0f', now + ARGV[3]))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', ARGV[3] + ARGV[4]))
return 1
