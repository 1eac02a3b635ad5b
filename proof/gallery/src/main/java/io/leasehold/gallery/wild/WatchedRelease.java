package io.leasehold.gallery.wild;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.params.SetParams;

/** A transaction that deletes its own lock only, and whose outcome is thrown away. */
public final class WatchedRelease implements WildLock {
  private final Jedis jedis;
  private final String key;
  private final String owner;

  public WatchedRelease(Jedis jedis, String key, String owner) {
    this.jedis = jedis;
    this.key = key;
    this.owner = owner;
  }

  @Override
  public boolean tryLock() {
    return "OK".equals(jedis.set(key, owner, SetParams.setParams().nx().ex(30)));
  }

  /** Called by a timer, every ten seconds. */
  public void renew() {
    if (owner.equals(jedis.get(key))) {
      jedis.expire(key, 30);
    }
  }

  @Override
  public void unlock() {
    jedis.watch(key);
    if (owner.equals(jedis.get(key))) {
      Transaction transaction = jedis.multi();
      transaction.del(key);
      transaction.exec();
    } else {
      jedis.unwatch();
    }
  }
}
