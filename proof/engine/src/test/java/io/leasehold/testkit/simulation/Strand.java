package io.leasehold.testkit.simulation;

import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/**
 * A thread of a simulation: a real one, as a coroutine. It runs only while it has the turn, and
 * gives that back to the timeline wherever it waits; so one runs at a time, in an order that the
 * seed decides.
 */
final class Strand {
  /** From here on a time is for ever. */
  private static final long FOREVER = Long.MAX_VALUE / 8;

  private static final ThreadLocal<Strand> CURRENT = new ThreadLocal<>();

  /** Ends a strand whose simulation is over. */
  static final class Over extends Error {
    private static final long serialVersionUID = 1L;

    Over() {
      super("the simulation is over", null, false, false);
    }
  }

  final String name;
  private final Strands strands;
  private final Semaphore turn = new Semaphore(0);
  private volatile Thread thread;
  private boolean ended;
  private boolean permit;
  private boolean parked;
  private boolean reads;
  private boolean waking;

  /** How long it has been kept by what keeps no promise: that is not held against the engine. */
  private long keptFor;

  Strand(String name, Strands strands) {
    this.name = name;
    this.strands = strands;
  }

  /** The strand that runs on the calling thread; null if that is none. */
  static Strand current() {
    return CURRENT.get();
  }

  /** Hears what the engine logs on a thread of a simulation, in the user's logger. */
  static final class Logs extends Handler {
    @Override
    public void publish(LogRecord record) {
      Strand strand = CURRENT.get();
      if (strand != null) {
        strand.strands.logged(record.getLevel().getName());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** The life of its thread. */
  void live(Runnable body) {
    thread = Thread.currentThread();
    CURRENT.set(this);
    turn.acquireUninterruptibly();
    try {
      if (!strands.isOver()) {
        Thread.interrupted();
        strands.lives(this);
        body.run();
      }
    } catch (Over over) {
      strands.trace().line(name, "is over");
    } catch (RuntimeException | Error e) {
      strands.thrown(this, e);
    } finally {
      CURRENT.remove();
      ended = true;
      strands.yielded();
    }
  }

  boolean hasEnded() {
    return ended;
  }

  Thread thread() {
    return thread;
  }

  /** Gives it the turn. On the thread of the timeline. */
  void giveTurn() {
    turn.release();
  }

  private void giveBack() {
    if (strands.isOver()) {
      throw new Over();
    }
    strands.yielded();
    turn.acquireUninterruptibly();
    if (strands.isOver()) {
      throw new Over();
    }
  }

  // ---- on its own thread

  /** Lets virtual time pass, no matter which thread wants it to stop. */
  void pause(long nanos) {
    strands.time().in(nanos, () -> strands.resume(this));
    giveBack();
  }

  /** As {@link #pause}, for the sake of what keeps no promise. */
  void isKept(long nanos) {
    keptFor += nanos;
    pause(nanos);
  }

  long keptFor() {
    return keptFor;
  }

  /** As {@link LockSupport#parkNanos}, in virtual time. */
  void park(long nanos) {
    if (!permit && nanos > 0 && !Thread.currentThread().isInterrupted()) {
      parked = true;
      sleep(nanos);
      parked = false;
    }
    permit = false;
  }

  /** Until it has {@linkplain #heard}: {@link #unpark} does not end it, and an interrupt does. */
  void read(long nanos) {
    if (nanos > 0 && !Thread.currentThread().isInterrupted()) {
      reads = true;
      sleep(nanos);
      reads = false;
    }
  }

  private void sleep(long nanos) {
    Timeline.Event alarm = nanos < FOREVER ? strands.time().in(nanos + 1, () -> wake(0)) : null;
    giveBack();
    waking = false;
    if (alarm != null) {
      alarm.cancel();
    }
  }

  // ---- on any

  /** As {@link LockSupport#unpark}. */
  void unpark(long delay) {
    permit = true;
    if (!reads) {
      wake(delay);
    }
  }

  /** There is something to read. */
  void heard() {
    if (reads) {
      wake(0);
    }
  }

  void interrupt(long delay) {
    thread.interrupt();
    wake(delay);
  }

  private void wake(long delay) {
    if ((parked || reads) && !waking) {
      waking = true;
      strands.time().in(delay, () -> strands.resume(this));
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
