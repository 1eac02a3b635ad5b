package io.leasehold.gallery.wild;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** It asks whose the lock is, and then deletes it: another command. */
public final class GetThenDelete implements WildLock {
  private final Jedis jedis;
  private final String key;
  private final String owner;

  public GetThenDelete(Jedis jedis, String key, String owner) {
    this.jedis = jedis;
    this.key = key;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() {
    return "OK".equals(jedis.set(key, owner, SetParams.setParams().nx().ex(30)));
  }

  @Override
  public void unlock() {
    if (owner.equals(jedis.get(key))) {
      jedis.del(key);
    }
  }
}
