package io.leasehold.etcd;

import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.internal.Engine;
import io.leasehold.testkit.contract.ClientTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Tests on servers of their own. */
abstract class EtcdTest extends ClientTest {
  EtcdTest() {
    super("", "/");
  }

  /** A client with a ttl of ten minutes, so that no ttl heals anything. */
  final Engine clientAt(String url) {
    return clientAt(url, how -> how);
  }

  /**
   * One that waits in the queue, or has failed.
   *
   * @param place how many waiters there are then
   */
  static CompletableFuture<Lease> beginToWait(
      DistributedLock lock, LockClient observer, int place) {
    CompletableFuture<Lease> waiter = lock.acquireAsync(PATIENCE);
    await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(PATIENCE)
        .until(() -> waiter.isDone() || waiters(observer, lock.name()) >= place);
    return waiter;
  }

  /** How many wait in the queue. */
  static int waiters(DistributedLock lock) {
    return lock.inspect().map(seen -> seen.waiters().size()).orElse(0);
  }

  static void awaitLost(Lease lease) {
    await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE).until(() -> !lease.isHeld());
  }
}
