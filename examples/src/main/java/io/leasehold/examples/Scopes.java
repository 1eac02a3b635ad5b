package io.leasehold.examples;

import io.leasehold.DistributedLock;
import java.util.concurrent.locks.Lock;

/** Re-entrant scopes, and locks for code written against java.util.concurrent. */
final class Scopes {
  private final DistributedLock lock;
  private final Ledger ledger;

  Scopes(DistributedLock lock, Ledger ledger) {
    this.lock = lock;
    this.ledger = ledger;
  }

  void post(String entry) throws InterruptedException {
    lock.withLock(lease -> ledger.post(entry, lease.fencingToken()));
  }

  void postBoth(String first, String second) throws InterruptedException {
    lock.withLock(
        lease -> {
          post(first); // enters again: same lease, same token, no request
          post(second);
        });
  }

  void legacy(Runnable work) {
    Lock plain = lock.asLock();
    plain.lock();
    try {
      work.run();
    } finally {
      plain.unlock(); // LeaseLostException, an IllegalMonitorStateException, if it was lost
    }
  }
}
