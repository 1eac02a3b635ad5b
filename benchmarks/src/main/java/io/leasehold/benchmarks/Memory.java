package io.leasehold.benchmarks;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;

/** The store in memory that the core is measured on. */
final class Memory {
  private Memory() {}

  /**
   * With fence numbers and a queue. Without tombstones: what a server remembers of released leases
   * would fill the memory within seconds.
   */
  static InMemoryServer server() {
    return new InMemoryServer(
        InMemorySettings.defaults().withFeatures(Feature.FENCING, Feature.QUEUE));
  }

  /** A client as a user gets it who sets nothing. */
  static LockClient client() {
    return Leasehold.builder(server()).build();
  }
}
