package io.leasehold.shedlock;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.StoreException;
import io.leasehold.spi.support.Log;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A lease as ShedLock's lock. */
final class LeasedLock extends AbstractSimpleLock {
  private final Lease lease;

  LeasedLock(LockConfiguration configuration, Lease lease) {
    super(configuration);
    this.lease = lease;
  }

  /**
   * The task is done, and ShedLock would throw away its result or hide its exception: that the
   * lease was lost, or is not known to be released, is in the log and told as an event.
   */
  @Override
  protected void doUnlock() {
    try {
      lease.release();
    } catch (LeaseLostException e) {
      Log.debug("unlocked too late", e);
    } catch (StoreException e) {
      Log.warn(String.valueOf(e.getMessage()));
    }
  }

  @Override
  protected Optional<SimpleLock> doExtend(LockConfiguration wanted) {
    try {
      lease.changeHold(LeaseholdLockProvider.optionsFor(wanted));
      return Optional.of(new LeasedLock(wanted, lease));
    } catch (LeaseLostException e) {
      Log.debug("extended too late", e);
      return Optional.empty();
    }
  }
}
