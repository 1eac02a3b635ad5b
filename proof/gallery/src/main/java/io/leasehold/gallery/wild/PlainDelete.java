package io.leasehold.gallery.wild;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** unlock() deletes the key, whose lock it may be. */
public final class PlainDelete implements WildLock {
  private final Jedis jedis;
  private final String key;

  public PlainDelete(Jedis jedis, String key) {
    this.jedis = jedis;
    this.key = key;
  }

  @Override
  public boolean tryLock() {
    return "OK".equals(jedis.set(key, "locked", SetParams.setParams().nx().ex(30)));
  }

  @Override
  public void unlock() {
    jedis.del(key);
  }
}
