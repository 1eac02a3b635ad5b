package io.leasehold.examples;

import io.leasehold.DistributedLock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Every instance of a service starts at once; one of them migrates, the others wait for it. */
final class Migration {
  private final DistributedLock lock;

  Migration(DistributedLock lock) {
    this.lock = lock;
  }

  /** Returns when the data is migrated, by this process or by another. */
  void run(BooleanSupplier isDone, Runnable migrate) throws InterruptedException {
    lock.withLock(
        Duration.ofMinutes(10), // LockTimeoutException after this: do not start
        lease -> {
          if (!isDone.getAsBoolean()) { // the one before may have done it
            migrate.run();
          }
        });
  }
}
