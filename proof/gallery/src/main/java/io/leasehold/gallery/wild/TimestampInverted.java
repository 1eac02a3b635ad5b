package io.leasehold.gallery.wild;

import java.util.function.LongSupplier;
import redis.clients.jedis.Jedis;

/** The comparison is the wrong way round; it worked when it was tried alone. */
@SuppressWarnings("deprecation") // Jedis says what to use instead
public final class TimestampInverted extends TimestampLock {
  public TimestampInverted(Jedis jedis, String key, LongSupplier clock) {
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
    if (current != null && Long.parseLong(current) > now) {
      String old = jedis.getSet(key, mine);
      return current.equals(old);
    }
    return false;
  }
}
