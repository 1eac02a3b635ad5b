package io.leasehold.gallery.wild;

import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** All is right: one command, an owner, a script. Only the work takes longer. */
public final class FixedTtl implements WildLock {
  private static final String UNLOCK =
      """
      -- unlock
      if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
      return 0
      """;

  private final Jedis jedis;
  private final String key;
  private final String owner;

  public FixedTtl(Jedis jedis, String key, String owner) {
    this.jedis = jedis;
    this.key = key;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() {
    return "OK".equals(jedis.set(key, owner, SetParams.setParams().nx().ex(30)));
  }

  @Override
  public void unlock() {
    jedis.eval(UNLOCK, List.of(key), List.of(owner));
  }
}
