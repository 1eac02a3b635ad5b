package io.leasehold.gallery.wild;

/** A session with a ttl, which is never renewed. */
public final class ConsulNeverRenewed implements WildLock {
  private final Consul consul;
  private final String key;
  private final String ttl;
  private String session = "";

  public ConsulNeverRenewed(Consul consul, String key, String ttl) {
    this.consul = consul;
    this.key = key;
    this.ttl = ttl;
  }

  @Override
  public boolean tryLock() throws Exception {
    if (session.isEmpty()) {
      session = consul.createSession("{\"TTL\": \"" + ttl + "\", \"LockDelay\": \"1s\"}");
    }
    return consul.put("/v1/kv/" + key + "?acquire=" + session, "").equals("true");
  }

  @Override
  public void unlock() throws Exception {
    consul.put("/v1/kv/" + key + "?release=" + session, "");
  }
}
