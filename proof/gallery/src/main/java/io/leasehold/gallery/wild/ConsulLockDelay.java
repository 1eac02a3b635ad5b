package io.leasehold.gallery.wild;

/** Consul refuses a lock that is free, so its delay is turned off. */
public final class ConsulLockDelay implements WildLock {
  private final Consul consul;
  private final String key;
  private final String lockDelay;
  private String session = "";

  public ConsulLockDelay(Consul consul, String key, String lockDelay) {
    this.consul = consul;
    this.key = key;
    this.lockDelay = lockDelay;
  }

  @Override
  public boolean tryLock() throws Exception {
    if (session.isEmpty()) {
      session = consul.createSession("{\"TTL\": \"15s\", \"LockDelay\": \"" + lockDelay + "\"}");
    }
    return consul.put("/v1/kv/" + key + "?acquire=" + session, "").equals("true");
  }

  @Override
  public void unlock() throws Exception {
    consul.put("/v1/kv/" + key + "?release=" + session, "");
  }
}
