package io.leasehold.examples;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Work that outlasts a ttl: the engine renews, and the work learns of a loss. */
final class LongWork {
  private final DistributedLock lock;

  LongWork(DistributedLock lock) {
    this.lock =
        lock.with(
            LockOptions.defaults()
                .withTtl(Duration.ofSeconds(10)) // a dead holder's lock is free after this
                .withMaxHold(Duration.ofHours(1))); // a hanging holder loses it after this
  }

  /** Does the parts one by one; false if another does them already. */
  boolean doOnce(List<Runnable> parts) {
    Optional<Lease> granted = lock.tryAcquire();
    if (granted.isEmpty()) {
      return false;
    }
    try (Lease lease = granted.get()) {
      Thread worker = Thread.currentThread();
      lease.onLost(worker::interrupt);
      for (Runnable part : parts) {
        lease.ensureHeld(Duration.ofSeconds(2)); // renews if needed; throws if lost or too short
        part.run();
      }
    }
    return true;
  }
}
