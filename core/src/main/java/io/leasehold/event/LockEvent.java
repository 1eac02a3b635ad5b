package io.leasehold.event;

import io.leasehold.Finding;
import java.time.Duration;

/** Something that happened to a lock of this client. */
public sealed interface LockEvent {
  /** The lock name; empty if it is about the store. */
  String name();

  /**
   * A caller waits: the lock is held.
   *
   * @param holder who holds it, where known, else empty
   */
  record Waiting(String name, String holder) implements LockEvent {}

  /**
   * A thread waits for a lock that it holds itself through another live handle. It waits for ever
   * unless another thread releases that handle. Use {@code withLock} or {@code asLock()} where
   * re-entry is meant.
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
   * @param leaseId the id under which the store knows it
   * @param fencingToken its token; 0 if the store has none
   * @param waited from the call to the grant
   */
  record Acquired(String name, String leaseId, long fencingToken, Duration waited)
      implements LockEvent {}

  /** A lease was renewed; it now stands for {@code remaining}. */
  record Renewed(String name, String leaseId, Duration remaining) implements LockEvent {}

  /**
   * Renewal has been failing for two thirds of the ttl, and the lease still stands: for {@code
   * remaining}, if none succeeds. The moment to bring the work to a safe end.
   */
  record Jeopardy(String name, String leaseId, long fencingToken, Duration remaining)
      implements LockEvent {}

  /** A lease was lost. Somebody else may hold the lock now. */
  record Lost(String name, String leaseId, long fencingToken, Reason reason) implements LockEvent {
    /** Why a lease was lost. */
    public enum Reason {
      /**
       * Its validity ran out by this process's clock: renewal failed, was switched off, or the
       * process was paused.
       */
      EXPIRED,
      /**
       * The store says that it is gone: an operator broke it, its data was removed, or the store
       * saw it expire.
       */
      GONE,
      /** Its session with the store ended. */
      SESSION_ENDED,
      /** It reached its longest life. */
      MAX_HOLD,
      /** Its client was closed while it was held. */
      CLOSED
    }
  }

  /**
   * A lease was released by its holder.
   *
   * @param held from the grant to the release
   */
  record Released(String name, String leaseId, long fencingToken, Duration held)
      implements LockEvent {}

  /**
   * The answer to a request never came. The engine goes on withdrawing the lease id until its fate
   * is known.
   *
   * @param request what was asked: attempt, release
   */
  record UnknownOutcome(String name, String leaseId, String request) implements LockEvent {}

  /**
   * The store found out, when it connected, what could break a promise: see {@link
   * io.leasehold.LockClient#diagnose}.
   */
  record StoreWarning(Finding finding) implements LockEvent {
    @Override
    public String name() {
      return "";
    }
  }
}
