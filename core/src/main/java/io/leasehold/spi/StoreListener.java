package io.leasehold.spi;

import io.leasehold.Finding;
import io.leasehold.spi.Attempt.Granted;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * Whom an open store reports to. Calls may come on any thread, must not be made from inside a
 * verb's own call while the store holds a lock of its own, and return at once. Reports are hints: a
 * lost, late, repeated or spurious one does no harm.
 */
public interface StoreListener {
  /** An attempt with this id, which waits, may now succeed. */
  void wake(LeaseId id);

  /**
   * The store granted this waiting ticket by itself: it holds from now on, for {@code
   * granted.remaining()} counted from the moment that is {@code age} ago, unless it is renewed
   * before that. To be told only if the grant certainly stands for so long; then the first {@link
   * LockStore#renew} confirms it. What is told late is believed no longer than that; what it grants
   * may be released, or be gone, like any lease.
   *
   * @param age asked after the engine has read its own clock, so that a pause in between makes the
   *     lease shorter and never longer
   */
  default void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
    wake(id);
  }

  /**
   * Another ticket waits from now on for the name of this lease, which is held. To be told by
   * stores that declare {@link Traits.Wanted#REPORTED}: the engine then hands a lease over from
   * thread to thread without asking again who waits, and gives it back soon after this.
   */
  default void wanted(LeaseId id) {}

  /**
   * The connection was re-established: whatever was reported meanwhile is lost, so every waiting
   * ticket is asked about at once.
   */
  void reconnected();

  /** These leases are gone, because their session is. */
  void lost(Collection<LeaseId> ids);

  /** The store found out, while it connected, what could break a promise. */
  default void found(Finding finding) {}
}
