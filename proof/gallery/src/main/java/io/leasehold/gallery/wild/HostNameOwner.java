package io.leasehold.gallery.wild;

import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** Re-entrant: a process on this host has it already. */
public final class HostNameOwner implements WildLock {
  private static final String UNLOCK =
      """
      -- unlock
      if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
      return 0
      """;

  private final Jedis jedis;
  private final String key;
  private final String hostName;

  public HostNameOwner(Jedis jedis, String key, String hostName) {
    this.jedis = jedis;
    this.key = key;
    this.hostName = hostName;
  }

  @Override
  public boolean tryLock() {
    if ("OK".equals(jedis.set(key, hostName, SetParams.setParams().nx().ex(30)))) {
      return true;
    }
    return hostName.equals(jedis.get(key)); // it is mine
  }

  @Override
  public void unlock() {
    jedis.eval(UNLOCK, List.of(key), List.of(hostName));
  }
}
