package io.leasehold.gallery.wild;

import java.util.function.LongSupplier;
import redis.clients.jedis.Jedis;

/** No value is taken for an expired one, and then for its own. */
@SuppressWarnings("deprecation") // Jedis says what to use instead
public final class TimestampNull extends TimestampLock {
  public TimestampNull(Jedis jedis, String key, LongSupplier clock) {
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
    if (current == null || Long.parseLong(current) < now) {
      String old = jedis.getSet(key, mine);
      return current == null || current.equals(old);
    }
    return false;
  }
}
