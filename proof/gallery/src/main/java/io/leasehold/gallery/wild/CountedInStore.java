package io.leasehold.gallery.wild;

import java.util.List;
import redis.clients.jedis.Jedis;

/** The store counts how often its owner has entered; the owner does not. */
public final class CountedInStore implements WildLock {
  private static final String LOCK =
      """
      -- lock
      if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
        redis.call('hincrby', KEYS[1], ARGV[1], 1)
        return redis.call('expire', KEYS[1], 30)
      end
      return 0
      """;

  private static final String UNLOCK =
      """
      -- unlock
      if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
      if redis.call('hincrby', KEYS[1], ARGV[1], -1) > 0 then return 1 end
      return redis.call('del', KEYS[1])
      """;

  private final Jedis jedis;
  private final String key;
  private final String owner;

  public CountedInStore(Jedis jedis, String key, String owner) {
    this.jedis = jedis;
    this.key = key;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() {
    return jedis.eval(LOCK, List.of(key), List.of(owner)).equals(1L);
  }

  @Override
  public void unlock() {
    jedis.eval(UNLOCK, List.of(key), List.of(owner));
  }
}
