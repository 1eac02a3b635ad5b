-- Finishes a claim. KEYS: the claim. ARGV: owner, token, kind, result, keep in ms. Answers 1 if it is finished by this claim.
local c = redis.call('HMGET', KEYS[1], 'owner', 'token', 'kind')
if c[1] ~= ARGV[1] or c[2] ~= ARGV[2] then return 0 end
if c[3] then return 1 end
redis.call('HSET', KEYS[1], 'kind', ARGV[3], 'result', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1
