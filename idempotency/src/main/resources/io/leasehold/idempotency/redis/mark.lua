-- Marks. KEYS: the mark. ARGV: what (mark, count, unmark), keep in ms. Answers 1 if it was the first, or the count.
if ARGV[1] == 'mark' then return redis.call('SET', KEYS[1], 1, 'NX', 'PX', ARGV[2]) and 1 or 0 end
if ARGV[1] == 'unmark' then return redis.call('DEL', KEYS[1]) end
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return count
