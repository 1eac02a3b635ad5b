package io.leasehold.examples;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import io.leasehold.micrometer.LockMetrics;
import io.leasehold.micrometer.ObservedLocks;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;

/** Meters of a client, and observations of what runs under its locks. */
final class Monitored {
  private Monitored() {}

  static void meters(LockClient locks, MeterRegistry registry) {
    new LockMetrics(locks)
        .withTemplate(name -> name.replaceAll("\\d+", "#")) // "order-42" counts as "order-#"
        .bindTo(registry);
  }

  static void observed(DistributedLock lock, ObservationRegistry observations, Runnable work)
      throws InterruptedException {
    ObservedLocks observed = new ObservedLocks(observations);
    observed.withLock(lock, Duration.ofSeconds(5), lease -> work.run());
  }
}
