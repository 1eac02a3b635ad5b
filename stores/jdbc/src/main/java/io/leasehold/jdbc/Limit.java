package io.leasehold.jdbc;

import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The time that one verb may take, on the calling thread. An interrupt does not shorten it: a
 * release must not be given up because the thread was interrupted, and no verb takes longer than it
 * was told. The flag is set again by {@link #close()}.
 */
final class Limit implements AutoCloseable {
  private static final long SHORTEST_PAUSE_NANOS = 20_000;
  private static final long LONGEST_PAUSE_NANOS = 200_000;

  /** What is to be done may take longer than there is time, and the thread is the caller's. */
  static final class Impatient extends RuntimeException {
    private static final long serialVersionUID = 1;

    Impatient() {
      super(null, null, false, false);
    }
  }

  private final Clock clock;
  private final long end;
  private final boolean patient;
  private long pause = SHORTEST_PAUSE_NANOS;
  private boolean interrupted;

  Limit(Clock clock, Duration within) {
    this(clock, within, false);
  }

  private Limit(Clock clock, Duration within, boolean patient) {
    this.clock = clock;
    this.end = clock.nanos() + within.toNanos();
    this.patient = patient;
  }

  /** On a thread for which no caller waits for longer than this. */
  static Limit patient(Clock clock, Duration within) {
    return new Limit(clock, within, true);
  }

  /**
   * To be asked before what may take longer than there is time.
   *
   * @throws Impatient if it has to be done on another thread
   */
  void requirePatience() {
    if (!patient) {
      throw new Impatient();
    }
  }

  boolean hasPassed() {
    return left() <= 0;
  }

  /** Not positive once it has passed. */
  long left() {
    return end - clock.nanos();
  }

  /** What ends sooner, if this lasts longer. */
  Limit atMost(Duration within) {
    return new Limit(clock, Duration.ofNanos(Math.min(left(), within.toNanos())), patient);
  }

  /** Takes the lock if that is possible in time. */
  boolean lock(ReentrantLock lock) {
    while (true) {
      try {
        return lock.tryLock(Math.max(0, left()), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  /**
   * Waits for a signal, under its lock; it may also return without one.
   *
   * @return whether there is time left
   */
  @SuppressWarnings("WaitNotInLoop") // who calls this looks again
  boolean await(Condition signal) {
    try {
      return signal.awaitNanos(left()) > 0;
    } catch (InterruptedException e) {
      interrupted = true;
      return left() > 0;
    }
  }

  /**
   * Waits a moment, at random and each time longer, so that those who contend do not meet again.
   */
  void pause() {
    pause(LONGEST_PAUSE_NANOS);
  }

  /** The same, with pauses that become as long as this. */
  void pause(long longestNanos) {
    sleep(pause);
    pause = Math.min(longestNanos, pause * 2);
  }

  /** Waits for at least half of this, and at most until it has passed. */
  void sleep(long longestNanos) {
    interrupted |= Thread.interrupted();
    long nanos = ThreadLocalRandom.current().nextLong(longestNanos / 2, longestNanos + 1);
    LockSupport.parkNanos(this, Math.min(nanos, Math.max(0, left())));
    interrupted |= Thread.interrupted();
  }

  @Override
  public void close() {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
