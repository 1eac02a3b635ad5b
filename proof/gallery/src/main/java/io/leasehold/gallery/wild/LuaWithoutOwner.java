package io.leasehold.gallery.wild;

import java.util.List;
import redis.clients.jedis.Jedis;

/** One script, so it is atomic; but the lock names no owner. */
public final class LuaWithoutOwner implements WildLock {
  private static final String LOCK =
      """
      -- lock
      if redis.call('setnx', KEYS[1], 'locked') == 1 then
        return redis.call('expire', KEYS[1], ARGV[1])
      end
      return 0
      """;

  private static final String UNLOCK =
      """
      -- unlock
      return redis.call('del', KEYS[1])
      """;

  private final Jedis jedis;
  private final String key;

  public LuaWithoutOwner(Jedis jedis, String key) {
    this.jedis = jedis;
    this.key = key;
  }

  @Override
  public boolean tryLock() {
    return jedis.eval(LOCK, List.of(key), List.of("30")).equals(1L);
  }

  @Override
  public void unlock() {
    jedis.eval(UNLOCK, List.of(key), List.of());
  }
}
