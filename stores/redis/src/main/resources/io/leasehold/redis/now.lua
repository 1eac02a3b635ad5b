-- The server's time, in microseconds
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- A grant that was sent to its waiter, and was not confirmed, falls back after this: longer than the longest poll; its holder may rely
-- on the rest of that time (RedisStore)
local CONFIRM = 2500000
