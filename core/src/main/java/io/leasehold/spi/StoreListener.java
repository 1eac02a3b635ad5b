package io.leasehold.spi;

import io.leasehold.Finding;
import java.util.Collection;

/**
 * Whom an open store reports to. Calls may come on any thread, must not be made from inside a
 * verb's own call while the store holds a lock of its own, and return at once. Reports are hints: a
 * lost, late, repeated or spurious one does no harm.
 */
public interface StoreListener {
  /** An attempt with this id, which waits, may now succeed. */
  void wake(LeaseId id);

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
