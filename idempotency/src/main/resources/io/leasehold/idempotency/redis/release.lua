-- Gives a claim back, or forgets it. KEYS: the claim. ARGV: owner or "any", 1 if also one that was taken over. Answers 1 if it did.
local c = redis.call('HMGET', KEYS[1], 'owner', 'token', 'taken', 'kind')
if not c[1] then return 0 end
if ARGV[1] ~= 'any' and (c[1] ~= ARGV[1] or c[4] or (c[3] == '1' and ARGV[2] ~= '1')) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'token', c[2])
redis.call('PEXPIRE', KEYS[1], 3600000)
return 1
