package io.leasehold.testkit.simulation;

import io.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * What a simulated server reports to one process, and which thread reads it there: the store's own,
 * or a caller that waits, while callers have the turn. A store takes the turn back if no caller
 * reads for a while, or only once it is asked to watch a ticket.
 */
final class ThreadedReports {
  /** The store's thread takes the turn back, at the latest after twice this, if no caller reads. */
  private static final long PAUSE = 50 * Plan.MS;

  /** Then a caller returns, whether there was something to read or not. */
  private static final long LONGEST = 1_100 * Plan.MS;

  private final ThreadedWorld world;
  private final ThreadedProcess process;

  /** Whether callers have the turn until the store is asked to watch a ticket. */
  private final boolean waitsToBeAsked;

  private final ArrayDeque<Runnable> unread = new ArrayDeque<>();

  /** The tickets for which the store reads even if no caller does. */
  private final Set<LeaseId> watched = new HashSet<>();

  /** The caller that reads; null if none does. */
  private Strand reader;

  private boolean isCallers;

  /** Whether the store's thread is to have the turn next. */
  private boolean isRecalled;

  private int taken;

  ThreadedReports(ThreadedWorld world, ThreadedProcess process) {
    this.world = world;
    this.process = process;
    this.waitsToBeAsked = world.plan.hears && !world.plan.takesBack;
    this.isCallers = waitsToBeAsked;
  }

  /** It has come to the process. */
  void come(Runnable report) {
    if (isCallers) {
      unread.add(report);
      if (reader != null) {
        reader.heard();
      }
    } else {
      process.store.execute(report);
    }
  }

  /** Whether this ticket, which waits, is watched from its attempt on. */
  boolean watches(LeaseId id) {
    if (!isCallers) {
      watched.add(id);
    }
    return !isCallers;
  }

  /** From now on, whether a caller reads or not. */
  void watch(LeaseId id) {
    watched.add(id);
    recall();
  }

  /** It waits no more. */
  void forget(LeaseId id) {
    isCallers |= watched.remove(id) && watched.isEmpty() && waitsToBeAsked;
  }

  /** Reads the next on the calling strand; false if another thread reads. */
  boolean read(Duration within) {
    boolean isTheirs = isCallers || (!waitsToBeAsked && world.coin());
    if (reader != null || isRecalled || !isTheirs) {
      return false;
    }
    isCallers = true;
    taken++;
    reader = Strand.current();
    if (unread.isEmpty()) {
      reader.read(Math.min(within.toNanos(), LONGEST));
    }
    reader = null;
    Runnable report = unread.poll();
    if (isRecalled) {
      takeBack();
    } else if (!waitsToBeAsked) {
      takeBackLater();
    }
    if (report != null) {
      world.saw(Situation.READ_BY_CALLER);
      report.run();
    }
    return true;
  }

  /** A caller that reads is told so in a while. */
  private void recall() {
    if (!isCallers) {
      return;
    }
    if (reader == null) {
      takeBack();
    } else if (!isRecalled) {
      isRecalled = true;
      world.time.in(PAUSE + world.delay(), this::end);
    }
  }

  private void end() {
    if (isRecalled && reader != null) {
      reader.heard();
    }
  }

  private void takeBackLater() {
    int last = taken;
    world.time.in(
        PAUSE + world.delay(),
        () -> {
          if (isCallers && reader == null && taken == last) {
            takeBack();
          }
        });
  }

  /** The store's thread reads, first what no caller has. */
  void takeBack() {
    isCallers = false;
    isRecalled = false;
    if (!unread.isEmpty()) {
      world.saw(Situation.LEFT_UNREAD);
    }
    for (Runnable report = unread.poll(); report != null; report = unread.poll()) {
      process.store.execute(report);
    }
  }
}
