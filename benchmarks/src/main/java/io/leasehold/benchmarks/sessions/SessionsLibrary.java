package io.leasehold.benchmarks.sessions;

import io.leasehold.Leasehold;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.LeaseholdClient;
import io.leasehold.benchmarks.runner.Library;
import java.net.http.HttpClient;
import java.time.Duration;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.ZooKeeper;

/** What is compared on ZooKeeper, etcd and Consul. */
enum SessionsLibrary implements Library {
  /** Itself. */
  LEASEHOLD(Leasehold.class),
  /** On ZooKeeper. */
  CURATOR(InterProcessMutex.class),
  /** On ZooKeeper, no library. */
  NODES(ZooKeeper.class),
  /** On etcd. */
  JETCD(io.etcd.jetcd.Client.class),
  /** The same. */
  JETCD_OWN(io.etcd.jetcd.Client.class),
  /** On Consul, no library. */
  HTTP(HttpClient.class),
  /** The same, which waits. */
  HTTP_RETRY(HttpClient.class);

  private final Class<?> type;

  SessionsLibrary(Class<?> type) {
    this.type = type;
  }

  @Override
  public Class<?> type() {
    return type;
  }

  @Override
  public boolean isOurs() {
    return this == LEASEHOLD;
  }

  @Override
  public Client connect(String url, Duration ttl) {
    return switch (this) {
      case LEASEHOLD -> LeaseholdClient.connect(url, ttl);
      case CURATOR -> new CuratorLocks(url, ttl);
      case NODES -> new BareZooKeeper(url, ttl);
      case JETCD, JETCD_OWN -> new JetcdLocks(url, ttl, this == JETCD_OWN);
      case HTTP, HTTP_RETRY -> new BareConsul(url, this == HTTP_RETRY);
    };
  }
}
