package io.leasehold.gallery.wild;

import java.util.function.LongSupplier;
import redis.clients.jedis.Jedis;

/** A second of tolerance, since clocks differ; on the wrong side. */
@SuppressWarnings("deprecation") // Jedis says what to use instead
public final class TimestampTolerance extends TimestampLock {
  public TimestampTolerance(Jedis jedis, String key, LongSupplier clock) {
    super(jedis, key, clock);
  }

  @Override
  public boolean tryLock() {
    long now = clock.getAsLong();
    String mine = String.valueOf(now + TTL);
    if (jedis.setnx(key, mine) == 1) {
      return true;
    }
    String current = jedis.get(key);
    if (current != null && Long.parseLong(current) < now + 1_000) {
      String old = jedis.getSet(key, mine);
      return current.equals(old);
    }
    return false;
  }
}
