package io.leasehold.spi;

import io.leasehold.Finding;
import io.leasehold.spi.Attempt.Granted;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * Receives the reports of an open store. The store may call it on any thread, but not inside a verb
 * while it holds a mutex; each call returns at once. Reports are hints: a lost, late, repeated or
 * spurious report does no harm.
 */
public interface StoreListener {
  /** An attempt of this waiting ticket may succeed now. */
  void wake(LeaseId id);

  /**
   * The store granted this waiting ticket without a new attempt. Without renewal the lease lives
   * for {@code granted.remaining()}, counted from {@code age} ago. Report a grant only if it
   * certainly stands for that time; the first {@link LockStore#renew} confirms it. A late report is
   * valid for no longer than that; its lease may be released or gone, as any other.
   *
   * @param age called after the engine has read its clock, so that a pause in between makes the
   *     lease shorter and never longer
   */
  default void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
    wake(id);
  }

  /**
   * Another ticket now waits for the name of this lease, which is held. A store that declares
   * {@link Traits.Wanted#REPORTED} must report this: the engine then hands the lease over from
   * thread to thread without a request, and gives it back soon after this report.
   */
  default void wanted(LeaseId id) {}

  /**
   * The connection was re-established, and reports may have been lost meanwhile: the engine asks
   * about every waiting ticket at once.
   */
  void reconnected();

  /** These leases are gone because their session ended. */
  void lost(Collection<LeaseId> ids);

  /** While it connected, the store found a condition that could break a promise. */
  default void found(Finding finding) {}
}
