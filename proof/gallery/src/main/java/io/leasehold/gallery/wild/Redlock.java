package io.leasehold.gallery.wild;

import java.util.List;
import java.util.function.LongSupplier;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;

/** The majority of several servers that know nothing of each other, as its author describes it. */
public final class Redlock implements WildLock {
  private static final long TTL = 30_000;
  private static final String UNLOCK =
      """
      -- unlock
      if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
      return 0
      """;

  private final List<Jedis> nodes;
  private final String key;
  private final String owner;
  private final LongSupplier clock;

  public Redlock(List<Jedis> nodes, String key, String owner, LongSupplier clock) {
    this.nodes = nodes;
    this.key = key;
    this.owner = owner;
    this.clock = clock;
  }

  @Override
  public boolean tryLock() {
    long begun = clock.getAsLong(); // monotonic
    int locked = 0;
    for (Jedis node : nodes) {
      try {
        if ("OK".equals(node.set(key, owner, SetParams.setParams().nx().px(TTL)))) {
          locked++;
        }
      } catch (JedisException unreachable) {
        // the others decide
      }
    }
    long drift = TTL / 100 + 2;
    long validity = TTL - (clock.getAsLong() - begun) - drift;
    if (locked > nodes.size() / 2 && validity > 0) {
      return true;
    }
    unlock();
    return false;
  }

  @Override
  public void unlock() {
    for (Jedis node : nodes) {
      try {
        node.eval(UNLOCK, List.of(key), List.of(owner));
      } catch (JedisException unreachable) {
        // the others decide
      }
    }
  }
}
