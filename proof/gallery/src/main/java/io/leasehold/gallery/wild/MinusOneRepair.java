package io.leasehold.gallery.wild;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** It repairs what a crash has left: a lock without an end. */
@SuppressWarnings("deprecation") // Jedis says what to use instead
public final class MinusOneRepair implements WildLock {
  private final Jedis jedis;
  private final String key;
  private final String owner;

  public MinusOneRepair(Jedis jedis, String key, String owner) {
    this.jedis = jedis;
    this.key = key;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() {
    if (jedis.setnx(key, owner) == 1) {
      jedis.expire(key, 30);
      return true;
    }
    if (jedis.ttl(key) == -1) { // left by a crash
      jedis.set(key, owner, SetParams.setParams().ex(30));
      return true;
    }
    return false;
  }

  @Override
  public void unlock() {
    jedis.del(key);
  }
}
