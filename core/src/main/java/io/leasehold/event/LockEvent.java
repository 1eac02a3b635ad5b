package io.leasehold.event;

import io.leasehold.Finding;
import java.time.Duration;

/** An event of a lock of this client, or of its store. */
public sealed interface LockEvent {
  /** The lock name; empty for an event of the store. */
  String name();

  /**
   * A caller waits because the lock is held.
   *
   * @param holder the holder in readable form; empty if it is not known
   */
  record Waiting(String name, String holder) implements LockEvent {}

  /**
   * A thread waits for a lock that it holds itself through another live lease. It waits in vain
   * unless another thread releases that lease. Use {@code withLock} or {@code asLock()} for
   * re-entrant locking.
   *
   * @param thread the name of the thread
   */
  record LikelySelfDeadlock(String name, String thread) implements LockEvent {}

  /**
   * A caller gave up waiting.
   *
   * @param waited how long it had waited
   */
  record GaveUp(String name, Duration waited) implements LockEvent {}

  /**
   * A lease was granted.
   *
   * @param leaseId the id of the lease in the store
   * @param fencingToken the token of the lease; 0 if the store has no fencing
   * @param waited the time from the call to the grant
   */
  record Acquired(String name, String leaseId, long fencingToken, Duration waited)
      implements LockEvent {}

  /** A lease was renewed; it now stands for {@code remaining}. */
  record Renewed(String name, String leaseId, Duration remaining) implements LockEvent {}

  /**
   * A renewal had no answer. The lease still stands, and the client tries again.
   *
   * @param cause why, in the words of the store
   */
  record RenewalFailed(String name, String leaseId, String cause) implements LockEvent {}

  /**
   * Renewal has failed for two thirds of the ttl. The lease still stands, for {@code remaining} if
   * no renewal succeeds: the time to bring the work to a safe end.
   */
  record Jeopardy(String name, String leaseId, long fencingToken, Duration remaining)
      implements LockEvent {}

  /** A lease was lost. Another client may hold the lock now. */
  record Lost(String name, String leaseId, long fencingToken, Reason reason) implements LockEvent {
    /** Why a lease was lost. */
    public enum Reason {
      /**
       * Its validity ran out by this process's clock: renewal failed, was switched off, or the
       * process was paused.
       */
      EXPIRED,
      /**
       * The store answered that the lease is gone: an operator broke it, its data was removed, or
       * it expired in the store.
       */
      GONE,
      /** The session of the client with the store ended. */
      SESSION_ENDED,
      /** The lease reached its longest life, {@code maxHold}. */
      MAX_HOLD,
      /** The client was closed while the lease was held. */
      CLOSED
    }
  }

  /**
   * A lease was released by its holder.
   *
   * @param held the time from the grant to the release
   */
  record Released(String name, String leaseId, long fencingToken, Duration held)
      implements LockEvent {}

  /**
   * The answer to a request never arrived. The engine keeps withdrawing the lease id until the
   * outcome is known.
   *
   * @param request the kind of request: attempt, release
   */
  record UnknownOutcome(String name, String leaseId, String request) implements LockEvent {}

  /**
   * While it connected, the store found a condition that could break a promise: see {@link
   * io.leasehold.LockClient#diagnose}.
   */
  record StoreWarning(Finding finding) implements LockEvent {
    @Override
    public String name() {
      return "";
    }
  }
}
