-- A contended name: one exclusive holder, and only exclusive waiters. Every hand-over reads and writes it, often on a server that has
-- slept, where each step costs ten times as much, and to make a function as much as a command: so attempt.lua and release.lua have its
-- usual ways written out.
-- As MessagePack, one after another: 'w', the number, until when the grant must be confirmed (0: it is), the number of waiters and of
-- fair ones, when the next and the last of them expire, until when their keys live, the id of the holder, and its data, as those of
-- each waiter: when it expires, whether it is fair, its channel, and the rest: mode, permits, since when, its readable name.

-- Milliseconds from now until then
local function life(ends)
  return math.max(1, math.ceil((ends - now) / 1000))
end

-- Until when the keys of a name are to live, which live until 'kept', so that they outlast 'last': half as long again, since it takes
-- time to tell them
local function keep_until(last, kept)
  return last <= kept and kept or math.floor(last + (last - now) / 2)
end

-- Writes the state; all keys of the name live until 'kept', as they were told already if it 'was' the same. ORDER and WAITERS, the keys
-- of the waiters of the name, are set by each script
local function set(key, text, kept, was)
  if kept == was then
    redis.call('SET', key, text, 'KEEPTTL')
    return
  end
  redis.call('SET', key, text, 'PX', life(kept))
  redis.call('PEXPIRE', ORDER, life(kept))
  redis.call('PEXPIRE', WAITERS, life(kept))
end

local function write_contended(key, number, confirm, waiting, fair, next, last, was, id, ends, fairly, channel, rest)
  local kept = keep_until(math.max(last, ends), was)
  set(key, cmsgpack.pack('w', number, confirm, waiting, fair, next, last, kept, id, ends, fairly, channel, rest), kept, was)
end
