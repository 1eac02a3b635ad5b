package io.leasehold.gallery.wild;

/** It asks until it has the lock. */
public final class ConsulBusyLoop {
  private final Consul consul;
  private final String key;

  public ConsulBusyLoop(Consul consul, String key) {
    this.consul = consul;
    this.key = key;
  }

  /** Waits for it. */
  public String lock() throws Exception {
    String session = consul.createSession("{\"TTL\": \"15s\"}");
    while (!consul.put("/v1/kv/" + key + "?acquire=" + session, "").equals("true")) {
      Thread.onSpinWait();
    }
    return session;
  }
}
