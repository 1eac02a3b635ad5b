package io.leasehold.examples;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import java.time.Duration;

/** What the README shows first. */
final class QuickStart {
  private final Ledger ledger;

  QuickStart(Ledger ledger) {
    this.ledger = ledger;
  }

  void run(String url, String invoice) throws InterruptedException {
    try (LockClient locks = Leasehold.connect(url)) { // "file:/var/lib/app/locks.db"
      DistributedLock lock = locks.lock("invoice-run");

      try (Lease lease = lock.acquire(Duration.ofSeconds(5))) { // LockTimeoutException after 5 s
        ledger.post(invoice, lease.fencingToken()); // the ledger refuses a lower token
      }
    }
  }
}
