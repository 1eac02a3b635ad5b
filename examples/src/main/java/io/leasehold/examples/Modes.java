package io.leasehold.examples;

import io.leasehold.DistributedReadWriteLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.MultiLease;
import java.time.Duration;

/** Read and write locks, semaphores, several locks as one, and order across processes. */
final class Modes {
  private final LockClient locks;
  private final Ledger ledger;

  Modes(LockClient locks, Ledger ledger) {
    this.locks = locks;
    this.ledger = ledger;
  }

  void readersAndWriters(Runnable read, String entry) throws InterruptedException {
    DistributedReadWriteLock prices = locks.readWriteLock("prices");
    prices.readLock().withLock(lease -> read.run()); // many at once
    prices.writeLock().withLock(lease -> ledger.post(entry, lease.fencingToken())); // alone
  }

  void someAtATime(Runnable export) throws InterruptedException {
    try (Lease slot = locks.semaphore("exports", 5).acquire(Duration.ofSeconds(5))) {
      export.run(); // five of these at most, on all machines together
    }
  }

  void both(String from, String to, String entry) throws InterruptedException {
    try (MultiLease both = locks.allOf(from, to).acquire(Duration.ofSeconds(5))) {
      ledger.post(entry, both.get(to).fencingToken()); // all or none, and never in a circle
    }
  }

  void inOrder(Runnable work) throws InterruptedException {
    LockOptions fair = LockOptions.defaults().fair();
    locks.lock("tickets").with(fair).withLock(lease -> work.run()); // first come, first served
  }
}
