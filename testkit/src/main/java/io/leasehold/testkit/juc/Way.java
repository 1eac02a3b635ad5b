package io.leasehold.testkit.juc;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The ways to acquire that wait for a holder. */
enum Way {
  ACQUIRE {
    @Override
    Lease take(DistributedLock from) throws Exception {
      return from.acquire();
    }
  },
  ACQUIRE_WITHIN {
    @Override
    Lease take(DistributedLock from) throws Exception {
      return from.acquire(Behaviours.LONG);
    }
  },
  TRY_WITHIN {
    @Override
    Lease take(DistributedLock from) throws Exception {
      return from.tryAcquire(Behaviours.LONG).orElseThrow();
    }
  },
  TRY_WITHIN_THE_LONGEST_TIME {
    @Override
    Lease take(DistributedLock from) throws Exception {
      return from.tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow();
    }
  };

  abstract Lease take(DistributedLock from) throws Exception;

  /** The same without a waiting thread. */
  static Lease takeAsync(DistributedLock from) throws Exception {
    return from.acquireAsync(Behaviours.LONG).get(Behaviours.LONG.toSeconds(), TimeUnit.SECONDS);
  }
}
