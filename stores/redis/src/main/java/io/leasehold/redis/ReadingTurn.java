package io.leasehold.redis;

import io.leasehold.redis.ReadingTurn.State.Fixed;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is to read from a connection: that of the thread which listens, or of a caller that
 * waits for a message, and so need not be woken. A thread that reads cannot be called away: a
 * caller asks for the turn, and once the thread has read what that one waited for, the turn is free
 * for the next. The thread takes it back when no caller takes it for a while. Thread-safe.
 */
final class ReadingTurn {
  /** Whose it is. */
  sealed interface State {
    /** Without more to say. */
    enum Fixed implements State {
      /** The thread's. */
      THREAD,
      /** A caller may take it. */
      FREE,
      /** A caller's. */
      CALLER,
      /** A caller's, and then the thread's. */
      LAST_CALLER
    }

    /**
     * The thread's, and then that of callers. Each is another, so that none is taken for one that
     * was asked before.
     *
     * @param served whether the caller that asked need not hear more
     */
    record Asked(BooleanSupplier served) implements State {}
  }

  private final Clock clock;
  private final long pauseNanos;
  private final IntConsumer late;
  private final AtomicReference<State> state = new AtomicReference<>(Fixed.THREAD);
  private final AtomicInteger taken = new AtomicInteger();
  private volatile @Nullable Thread thread;

  /** What ended the reading of a caller: it is the thread that mends the connection. */
  private volatile @Nullable Throwable failure;

  /**
   * The thread's.
   *
   * @param pause if no caller has taken it for so long, the thread does, at the latest after twice
   *     that
   * @param late told, on the thread, that a caller has read for one pause, two, and so on
   */
  ReadingTurn(Clock clock, Duration pause, IntConsumer late) {
    this.clock = clock;
    this.pauseNanos = pause.toNanos();
    this.late = late;
  }

  // ---- callers

  /**
   * Gives it to the calling thread, which must {@link #leave} it; asks for it if it is not free.
   *
   * @param served whether the caller need not hear more, so that another can
   */
  boolean take(BooleanSupplier served) {
    if (state.compareAndSet(Fixed.FREE, Fixed.CALLER)) {
      taken.incrementAndGet();
      return true;
    }
    State before = state.get();
    if (before == Fixed.THREAD || before instanceof State.Asked) {
      state.compareAndSet(before, new State.Asked(served));
    }
    return false;
  }

  /**
   * A caller has read.
   *
   * @param met what ended its reading; null if nothing did
   */
  void leave(@Nullable Throwable met) {
    if (met != null) {
      failure = met;
    }
    if (met != null || !state.compareAndSet(Fixed.CALLER, Fixed.FREE)) {
      state.set(Fixed.THREAD);
      LockSupport.unpark(thread);
    }
  }

  /**
   * It is not asked for any more.
   *
   * @return whether what comes is read even if no caller takes it from now on
   */
  boolean keep() {
    State before = state.get();
    while (before instanceof State.Asked && !state.compareAndSet(before, Fixed.THREAD)) {
      before = state.get();
    }
    return before != Fixed.FREE && before != Fixed.CALLER;
  }

  /** The thread takes it, after the caller that has it. */
  void recall() {
    State before = state.getAndUpdate(ReadingTurn::recalled);
    if (before == Fixed.FREE) {
      LockSupport.unpark(thread);
    }
  }

  private static State recalled(State before) {
    if (before == Fixed.FREE) {
      return Fixed.THREAD;
    }
    return before == Fixed.CALLER ? Fixed.LAST_CALLER : before;
  }

  // ---- the thread

  /** Lets callers have it, once that was served which has asked for it, until it comes back. */
  void offer() {
    State before = state.get();
    if (!(before instanceof State.Asked asked) || !asked.served.getAsBoolean()) {
      return;
    }
    thread = Thread.currentThread();
    if (state.compareAndSet(before, Fixed.FREE)) {
      awaitReturn();
    }
  }

  private void awaitReturn() {
    boolean interrupted = false;
    int pauses = 0;
    while (isAway()) {
      int last = taken.get();
      interrupted |= pause();
      pauses = taken.get() == last ? pauses + 1 : 0;
      if (pauses > 0 && !state.compareAndSet(Fixed.FREE, Fixed.THREAD) && isAway()) {
        recall();
        late.accept(pauses);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isAway() {
    return state.get() instanceof Fixed now && now != Fixed.THREAD;
  }

  /** Until it is the thread's, or the time is over; returns whether the thread was interrupted. */
  private boolean pause() {
    long left = pauseNanos;
    long until = clock.nanos() + left;
    boolean interrupted = false;
    while (left > 0 && isAway()) {
      LockSupport.parkNanos(this, left);
      interrupted |= Thread.interrupted();
      left = until - clock.nanos();
    }
    return interrupted;
  }

  /** By what the last caller's reading has ended, for the thread; null if by nothing. */
  @Nullable Throwable failure() {
    Throwable met = failure;
    failure = null;
    return met;
  }
}
