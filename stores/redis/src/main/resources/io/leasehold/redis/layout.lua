-- Answers the version of the layout of a prefix; nil if none is recorded. KEYS: its key. ARGV: the version to record if there is none,
-- or nothing.
local known = redis.call('MGET', KEYS[1])[1]
if known or not ARGV[1] then return known end
if redis.call('SET', KEYS[1], ARGV[1], 'NX') then return ARGV[1] end
return { err = 'LEASEHOLD a key of a lock holds something else' }
