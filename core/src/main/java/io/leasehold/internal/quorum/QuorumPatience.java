package io.leasehold.internal.quorum;

import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.Scheduler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long one request to a quorum waits for the members that are left once a majority has
 * answered: a multiple of what the majority took. Guarded by its owner.
 */
final class QuorumPatience {
  private static final int TIMES = 10;
  private static final long LEAST_NANOS = 50_000_000;

  /** What is told busy does not ask again: a member that is merely slow must not decide that. */
  private static final long LEAST_OF_TRY_NANOS = 1_000_000_000;

  private static final long LEAST_JITTER_NANOS = 5_000_000;
  private static final long LONGEST_JITTER_NANOS = 500_000_000;

  private final QuorumStore store;
  private final long most;
  private final long least;
  private final long began;
  private final Runnable atEnd;
  private Scheduler.@Nullable Timer timer;
  private volatile boolean over;

  /**
   * The request is sent now.
   *
   * @param isTry whether it is asked once only
   * @param atEnd called without any mutex when the patience is over
   */
  QuorumPatience(QuorumStore store, Duration within, boolean isTry, Runnable atEnd) {
    this.store = store;
    this.most = Durations.nanos(within);
    this.least = isTry ? LEAST_OF_TRY_NANOS : LEAST_NANOS;
    this.began = store.clock.nanos();
    this.atEnd = atEnd;
  }

  /** A majority has answered: whether the rest is waited for no longer. */
  boolean isOver() {
    if (timer == null) {
      long longest = Math.min(most, Math.max(least, TIMES * took()));
      timer = store.threads.schedule(this::end, longest);
    }
    return over;
  }

  private long took() {
    return store.clock.nanos() - began;
  }

  private void end() {
    over = true;
    atEnd.run();
  }

  void cancel() {
    if (timer != null) {
      timer.cancel();
    }
  }

  /** A random part of so many times the duration until now, within reason. */
  long randomPart(int times) {
    long whole = Math.min(LONGEST_JITTER_NANOS, Math.max(LEAST_JITTER_NANOS, times * took()));
    return (long) (store.random.getAsDouble() * whole);
  }
}
