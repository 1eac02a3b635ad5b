package io.leasehold.spring;

/** What a {@link Locked} method does when the lock did not come free in time. */
public enum Busy {
  /**
   * {@link #SKIP} for a {@code @Scheduled} method, else {@link #THROW}; with {@link
   * Locked#fallback} the call of that. The default.
   */
  AUTO,
  /** The call throws {@link io.leasehold.LockTimeoutException}. */
  THROW,
  /**
   * The call does nothing. It returns null, an empty {@code Optional}, {@code Mono} or {@code
   * Flux}, or a stage that completes with null. Refused at start-up for a method that returns a
   * primitive.
   */
  SKIP
}
