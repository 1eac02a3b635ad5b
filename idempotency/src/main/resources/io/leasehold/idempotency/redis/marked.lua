-- Which are marked. KEYS: marks. Answers with 1 or 0 for each.
local found = {}
for i, mark in ipairs(redis.call('MGET', unpack(KEYS))) do found[i] = mark and 1 or 0 end
return found
