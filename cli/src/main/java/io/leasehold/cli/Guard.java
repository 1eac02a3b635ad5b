package io.leasehold.cli;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import io.leasehold.event.LockEvent;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Watches the lease while the command runs, and ends the command: asks it to end when the lease is
 * in jeopardy or near its longest life, kills it before the lease runs out, and at once where it
 * already has.
 *
 * <p>When the wall clock runs ahead, an administrator set it, or the host was suspended for as
 * long: the lease is then not held until it was renewed. The command may go on meanwhile for as
 * long as the lease lasts by both clocks, since whatever the reason, no other process can have it
 * before.
 *
 * <p>The main thread looks in short intervals, the library's events come in between. Whichever is
 * first acts.
 */
final class Guard {
  /**
   * How often the lease is looked at: how late the end of a pause of this process is noticed, at
   * most.
   */
  private static final long LOOK = Duration.ofMillis(100).toNanos();

  private final Console console;
  private final Clock clock;
  private final Lease lease;
  private final Limits limits;
  private final RunEvents events;
  private final ProcessTree tree;
  private final ReentrantLock acting = new ReentrantLock();
  private final AtomicBoolean renewing = new AtomicBoolean();
  private volatile Stand stand;
  private boolean asked;
  private boolean killed;

  /** {@code clock} is the one that {@code limits} were made by. */
  Guard(
      Console console,
      Clock clock,
      Lease lease,
      Limits limits,
      RunEvents events,
      ProcessTree tree) {
    this.console = console;
    this.clock = clock;
    this.lease = lease;
    this.limits = limits;
    this.events = events;
    this.tree = tree;
    this.stand = new Stand(clock.nanos(), clock.wallMillis());
  }

  /** Until when the lease stands, by what was last seen of it while it was held. */
  private record Stand(long end, long wallEnd) {
    /** Whichever clock is first. */
    long left(Clock clock) {
      long byWall = TimeUnit.MILLISECONDS.toNanos(wallEnd - clock.wallMillis());
      return Math.min(end - clock.nanos(), byWall);
    }
  }

  /** How long the lease need not be looked at. */
  Duration calm() {
    if (killed()) {
      return Duration.ofNanos(LOOK);
    }
    return Duration.ofNanos(Math.max(1_000_000, Math.min(LOOK, left() - limits.margin())));
  }

  /** Looks at the lease, and acts if it must. */
  void look() {
    see();
    if (events.lost(lease).isPresent() || stand.left(clock) <= 0) {
      kill("lost '" + lease.name() + "': " + lostReason());
    } else if (left() <= limits.margin()) {
      kill(
          isLongestLifeOver()
              ? "'" + lease.name() + "' was held for " + limits.longestLife()
              : "the lease of '" + lease.name() + "' could not be renewed and runs out");
    } else if (holdLeft() <= limits.lead()) {
      ask("'" + lease.name() + "' is soon held for " + limits.longestLife());
    } else if (events.jeopardy(lease).isPresent()) {
      ask(
          "the lease of '"
              + lease.name()
              + "' cannot be renewed and runs out in "
              + Durations.show(lease.remaining()));
    }
    if (!lease.isHeld()) {
      renewOnce();
    }
  }

  private void see() {
    // The clocks first: a pause in between makes it end too early, never too late
    long now = clock.nanos();
    long wallNow = clock.wallMillis();
    Duration remaining = lease.remaining();
    if (!remaining.isZero()) {
      stand = new Stand(now + Durations.nanos(remaining), wallNow + remaining.toMillis());
    }
  }

  /** Beside this thread, which must go on looking. */
  private void renewOnce() {
    if (!killed() && renewing.compareAndSet(false, true)) {
      Thread renewal =
          new Thread(
              () -> {
                isConfirmed(lease);
                renewing.set(false);
              });
      renewal.setDaemon(true);
      renewal.start();
    }
  }

  /** Whether the lease is held, if need be after one renewal. */
  static boolean isConfirmed(Lease lease) {
    try {
      lease.ensureHeld(Duration.ofMillis(1));
      return true;
    } catch (LockException | LeaseLostException e) {
      return false;
    }
  }

  /** Whether the command was asked to end, or killed. */
  boolean acted() {
    acting.lock();
    try {
      return asked || killed;
    } finally {
      acting.unlock();
    }
  }

  /** Whether it was asked to end, and is not killed yet. */
  boolean isPatient() {
    return acted() && !killed();
  }

  private boolean killed() {
    acting.lock();
    try {
      return killed;
    } finally {
      acting.unlock();
    }
  }

  private void ask(String reason) {
    acting.lock();
    try {
      if (!asked && !killed) {
        asked = true;
        tree.terminate();
        console.say(reason + ": asked the command to end");
      }
    } finally {
      acting.unlock();
    }
  }

  private void kill(String reason) {
    // Before anything else, and before the other thread has done with asking
    tree.killCommand();
    acting.lock();
    try {
      if (!killed) {
        killed = true;
        console.say(
            reason
                + (tree.kill() ? ": killed the command" : ": could not kill all of the command"));
      }
    } finally {
      acting.unlock();
    }
  }

  private long left() {
    return Math.min(holdLeft(), stand.left(clock));
  }

  private long holdLeft() {
    return limits.end() - clock.nanos();
  }

  /** The library counts the longest life from a moment earlier than this tool can. */
  private boolean isLongestLifeOver() {
    return holdLeft() <= 2 * limits.margin();
  }

  private String lostReason() {
    if (events.lost(lease).isEmpty()) {
      return isLongestLifeOver()
          ? "it was held for " + limits.longestLife()
          : describe(LockEvent.Lost.Reason.EXPIRED);
    }
    return describe(events.lost(lease).get().reason());
  }

  private String describe(LockEvent.Lost.Reason reason) {
    return switch (reason) {
      case EXPIRED ->
          "its lease ran out: it could not be renewed in time, or this process was paused, or its host";
      case GONE -> "the store no longer has its lease: an operator broke it, or it expired there";
      case SESSION_ENDED -> "its session with the store ended";
      case MAX_HOLD -> "it was held for " + limits.longestLife();
      case CLOSED -> "this tool closed its connection to the store";
    };
  }
}
