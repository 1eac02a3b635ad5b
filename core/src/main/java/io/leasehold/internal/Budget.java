package io.leasehold.internal;

import org.jspecify.annotations.Nullable;

/**
 * How long the attempts of a ticket may take. Each is short enough that a lost reply is asked for
 * again while the lease that it granted still lives. The first answer must come within one request
 * timeout, repeats included, so that an unreachable store fails fast; callers that are left after
 * that outlast it, to their deadlines.
 */
final class Budget {
  /** Less is no real chance. */
  static final long LEAST_NANOS = 1_000_000;

  /** For a caller that was answered before, less is not worth asking again. */
  static final long LEAST_AGAIN_NANOS = 2_000_000;

  private static final long LEAST_WHOLE_NANOS = 50_000_000;

  private final Engine engine;

  Budget(Engine engine) {
    this.engine = engine;
  }

  /**
   * For the next attempt.
   *
   * @param since when the ticket began to contend
   * @param answered whether the store has answered an attempt of it before
   */
  long forAttempt(Terms terms, long since, boolean answered) {
    long whole = Math.min(engine.requestNanos, Math.max(LEAST_WHOLE_NANOS, terms.ttlNanos() / 2));
    long left = timeToFirstAnswer(since);
    return answered || left < LEAST_NANOS ? whole : Math.min(whole, left);
  }

  /** For a watch: of no use to a caller that has left. */
  long forWatch(@Nullable Waiter caller) {
    if (caller == null) {
      return engine.requestNanos;
    }
    long left = caller.deadline.left(engine.clock.nanos());
    return Math.min(engine.requestNanos, Math.max(LEAST_WHOLE_NANOS, left));
  }

  /** In which an attempt must be answered that waits for a thread first. */
  long forAnswer(long since, boolean answered) {
    long left = timeToFirstAnswer(since);
    return answered || left < LEAST_NANOS ? engine.requestNanos : left;
  }

  /** Whether the first answer may still come in time. */
  boolean allowsAnother(long since) {
    return timeToFirstAnswer(since) >= LEAST_NANOS;
  }

  private long timeToFirstAnswer(long since) {
    return engine.requestNanos - (engine.clock.nanos() - since);
  }
}
