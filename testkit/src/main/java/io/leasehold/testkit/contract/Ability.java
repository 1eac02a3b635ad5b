package io.leasehold.testkit.contract;

/**
 * What a store, or the {@link ContractFixture} around it, may be unable to do. Tests that need it
 * are then aborted with the reason, and counted.
 */
public enum Ability {
  /** A caller can wait for a lock. Without, the contract tries again and again instead. */
  WAIT,
  /** A holder can ask whether it still holds. Without, only what the store does is looked at. */
  VALIDITY,
  /** Leases have fencing tokens. */
  FENCING,
  /** There are read locks. */
  SHARED,
  /** There are semaphores. */
  PERMITS,
  /** Waiters can be served in order across processes. */
  FAIR,
  /** A released lease can keep others out until its min hold is over. */
  MIN_HOLD,
  /** The store lists what is held and waited for. */
  LIST,
  /**
   * The list says how long each lease still lasts. Without, it shows the longest that it can: the
   * store does not tell when a session was last prolonged.
   */
  REMAINING,
  /** An operator can break a lease. */
  BREAK,
  /**
   * The store can say that nothing of a withdrawn lease id will be granted any more. One that
   * cannot has ids in limbo for as long as a ttl after a reply was lost; the next client must be in
   * all the same.
   */
  FINAL_WITHDRAWAL,
  /**
   * A request may reach the store after its call has ended. Not where there is no wire: an embedded
   * store knows what is under way.
   */
  LATE_REQUESTS,
  /** The store wakes waiters. */
  SIGNALS,
  /** The fixture restarts the store, which keeps its data. */
  RESTART,
  /** The fixture restarts the store without its data. */
  RESTART_EMPTY
}
