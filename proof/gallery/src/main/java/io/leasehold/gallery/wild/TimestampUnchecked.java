package io.leasehold.gallery.wild;

import java.util.function.LongSupplier;
import redis.clients.jedis.Jedis;

/** It does not look at what GETSET replaced. */
@SuppressWarnings("deprecation") // Jedis says what to use instead
public final class TimestampUnchecked extends TimestampLock {
  public TimestampUnchecked(Jedis jedis, String key, LongSupplier clock) {
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
    if (current != null && Long.parseLong(current) < now) {
      jedis.getSet(key, mine);
      return true;
    }
    return false;
  }
}
