package io.leasehold.testkit.simulation;

/** A promise was broken. */
final class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;

  /** What is checked; the names stand in the table of mutants. */
  enum Check {
    /** R1: two handles of one name are held at one instant. */
    EXCLUSION,
    /** R1: a lease does not share its name in the way that was asked for. */
    SHARE,
    /** R1: refused as another kind without cause, or not refused. */
    KIND,
    /** R17: a handle is held although the store's lease is over. */
    VALIDITY,
    /** R4: a token is not above those granted before. */
    TOKENS,
    /** R16: a call took longer than it was given. */
    DEADLINE,
    /** R7, R8: a release or withdrawal was sent for what a caller still holds. */
    RELEASE_PRECISE,
    /** R8: a release reported success, and the store still has the lease. */
    RELEASE_TRUE,
    /** R21: a lease that is to be renewed is not, or one that is not to be is. */
    RENEWAL,
    /** A renewal was sent after the release, or after the loss. */
    RENEWED_AFTER_END,
    /** R17: a loss was announced twice, after a release, or never. */
    LOSS_TOLD,
    /** A loss was announced without cause. */
    LOSS_CAUSE,
    /** R6: what was lost, or over, is held again. */
    REVIVED,
    /** R9: a lease was granted for a caller who had given up long before. */
    GHOST,
    /** R20: a lease was handed over in jeopardy, on an old word, or for too long. */
    HAND_OVER,
    /** R20: a waiter was overtaken inside its process. */
    LOCAL_ORDER,
    /** R20: a fair waiter was overtaken. */
    FAIR_ORDER,
    /** A reader was granted before a writer that waited before it came. */
    READER_ORDER,
    /** Of several locks taken as one, not all are held. */
    ALL_OR_NOTHING,
    /** R9, R11: a waiter was not served in time once all faults had healed. */
    STUCK,
    /** R9: something is left in the store or in memory. */
    LEFTOVER,
    /** R14: close took too long, or left something. */
    CLOSE,
    /** R12: a call failed in a way that it must not. */
    FAILURE,
    /** A task of the engine threw. */
    THROWN,
    /** R12: a call was told busy, though the store had not answered for its name. */
    BUSY,
    /** R18: an interrupt did not end a wait in time, or no thread had made it. */
    INTERRUPT,
    /** R11: a lock was free, its store answered, and a waiter was not served in time. */
    WAKE_UP,
    /** R17: an event was told much too late. */
    EVENT,
    /** A release was not asked again, though there was time for it. */
    RELEASE_REPEATED,
    /** A thread waits for ever, or where it must not. */
    THREAD_STUCK
  }

  private final transient Check check;

  Violation(Check check, String message) {
    super(check + ": " + message);
    this.check = check;
  }

  Check check() {
    return check;
  }
}
