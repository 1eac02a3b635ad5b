package io.leasehold.spring;

import io.leasehold.DistributedLockView;
import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLease;
import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Calls inside a transaction of the calling thread: what they wrote is visible to others only after
 * its commit, so the lock is released after its completion.
 */
final class LockedTransactions {
  private LockedTransactions() {}

  /**
   * Whether this thread has a transaction that has not completed. False in the callbacks after its
   * completion: what was written is visible then.
   */
  static boolean isActive() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive();
  }

  /**
   * Acquires the lock, runs the call, and leaves the release to the end of the transaction.
   *
   * @throws LockTimeoutException if the lock did not come free in time
   */
  static @Nullable Object run(LockedInvocation call) throws Exception {
    Hold hold = acquired(call);
    try {
      TransactionSynchronizationManager.registerSynchronization(hold);
    } catch (RuntimeException | Error e) {
      hold.release().run();
      throw e;
    }
    return call.run(hold.lease());
  }

  private static Hold acquired(LockedInvocation call) throws InterruptedException {
    Duration maxWait = call.plan().maxWait();
    if (call.locks().isPresent()) {
      MultiLease leases = call.locks().get().acquire(maxWait);
      return new Hold(leases, () -> leases.ensureHeld(Duration.ZERO), leases::release);
    }
    if (call.plan().mode() == LockMode.PERMITS) {
      Lease lease = call.lock().acquire(maxWait);
      return new Hold(lease, () -> lease.ensureHeld(Duration.ZERO), lease::release);
    }
    // Re-entrant: the transaction may call the method twice, or its caller may hold the lock
    DistributedLockView view = call.lock().asLock();
    if (!view.tryLock(Durations.nanos(maxWait), TimeUnit.NANOSECONDS)) {
      throw new LockTimeoutException(
          "'" + call.lock().name() + "' did not come free within " + Durations.show(maxWait));
    }
    Lease lease = view.lease();
    return new Hold(lease, () -> lease.ensureHeld(Duration.ZERO), view::unlock);
  }

  /**
   * What a transaction holds.
   *
   * @param ensure throws if it is lost
   */
  private record Hold(Object lease, Runnable ensure, Runnable release)
      implements TransactionSynchronization {
    @Override
    public void beforeCommit(boolean readOnly) {
      ensure.run();
    }

    @Override
    public void afterCompletion(int status) {
      release.run();
    }
  }
}
