package io.leasehold.gallery.wild;

import java.util.function.LongSupplier;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** It waits for five seconds at most; the five seconds begin anew in each round. */
public final class RetryForEver implements WildLock {
  private final Jedis jedis;
  private final String key;
  private final String owner;
  private final LongSupplier clock;
  private final Runnable sleep100Millis;

  public RetryForEver(
      Jedis jedis, String key, String owner, LongSupplier clock, Runnable sleep100Millis) {
    this.jedis = jedis;
    this.key = key;
    this.owner = owner;
    this.clock = clock;
    this.sleep100Millis = sleep100Millis;
  }

  @Override
  public boolean tryLock() {
    while (true) {
      long deadline = clock.getAsLong() + 5_000;
      if ("OK".equals(jedis.set(key, owner, SetParams.setParams().nx().ex(30)))) {
        return true;
      }
      if (clock.getAsLong() > deadline) {
        return false;
      }
      sleep100Millis.run();
    }
  }

  @Override
  public void unlock() {
    jedis.del(key);
  }
}
