package io.leasehold.gallery.wild;

import redis.clients.jedis.Jedis;

/** Two commands for what must be one. */
@SuppressWarnings("deprecation") // Jedis says what to use instead
public final class SetnxThenExpire implements WildLock {
  private final Jedis jedis;
  private final String key;

  public SetnxThenExpire(Jedis jedis, String key) {
    this.jedis = jedis;
    this.key = key;
  }

  @Override
  public boolean tryLock() {
    if (jedis.setnx(key, "locked") == 1) {
      jedis.expire(key, 30);
      return true;
    }
    return false;
  }

  @Override
  public void unlock() {
    jedis.del(key);
  }
}
