package io.leasehold.gallery.wild;

import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** Re-entrant: a thread with this id has it already. */
public final class ThreadIdOwner implements WildLock {
  private static final String UNLOCK =
      """
      -- unlock
      if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
      return 0
      """;

  private final Jedis jedis;
  private final String key;
  private final String owner;

  public ThreadIdOwner(Jedis jedis, String key, long threadId) {
    this.jedis = jedis;
    this.key = key;
    this.owner = "thread-" + threadId;
  }

  @Override
  public boolean tryLock() {
    if ("OK".equals(jedis.set(key, owner, SetParams.setParams().nx().ex(30)))) {
      return true;
    }
    return owner.equals(jedis.get(key)); // it is mine
  }

  @Override
  public void unlock() {
    jedis.eval(UNLOCK, List.of(key), List.of(owner));
  }
}
