package io.leasehold.gallery.wild;

import java.util.function.LongSupplier;
import redis.clients.jedis.Jedis;

/** The value says by when the lock is over, by the clock of the client that wrote it. */
abstract class TimestampLock implements WildLock {
  static final long TTL = 30_000;

  final Jedis jedis;
  final String key;
  final LongSupplier clock;

  TimestampLock(Jedis jedis, String key, LongSupplier clock) {
    this.jedis = jedis;
    this.key = key;
    this.clock = clock;
  }

  @Override
  public void unlock() {
    jedis.del(key);
  }
}
