package io.leasehold.gallery.wild;

import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** A watchdog renews it until unlock() is called. */
public final class WatchdogLock implements WildLock {
  private static final String UNLOCK =
      """
      -- unlock
      if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
      return 0
      """;

  private final Jedis jedis;
  private final Jedis watchdog;
  private final Timer timer;
  private final String key;
  private final String owner;
  private Runnable cancel = () -> {};

  public WatchdogLock(Jedis jedis, Jedis watchdog, Timer timer, String key, String owner) {
    this.jedis = jedis;
    this.watchdog = watchdog;
    this.timer = timer;
    this.key = key;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() {
    if ("OK".equals(jedis.set(key, owner, SetParams.setParams().nx().ex(30)))) {
      cancel = timer.every(10, () -> watchdog.expire(key, 30));
      return true;
    }
    return false;
  }

  @Override
  public void unlock() {
    cancel.run();
    jedis.eval(UNLOCK, List.of(key), List.of(owner));
  }
}
