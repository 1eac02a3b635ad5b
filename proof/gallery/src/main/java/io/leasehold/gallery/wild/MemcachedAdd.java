package io.leasehold.gallery.wild;

import java.time.Duration;

/** The ttl is in whole seconds there; half a second is none. */
public final class MemcachedAdd implements WildLock {
  private final Memcached memcached;
  private final String key;
  private final Duration ttl;

  public MemcachedAdd(Memcached memcached, String key, Duration ttl) {
    this.memcached = memcached;
    this.key = key;
    this.ttl = ttl;
  }

  @Override
  public boolean tryLock() throws Exception {
    return memcached.add(key, (int) ttl.toSeconds(), "locked");
  }

  @Override
  public void unlock() throws Exception {
    memcached.delete(key);
  }
}
