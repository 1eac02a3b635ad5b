package io.leasehold.cli;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.spi.support.Clock;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The command of the user under a lease: started, watched, and ended before the lease is. */
final class LeaseRun {
  /** What ends with the command, as a tee behind it does, may take so long. */
  private static final Duration END_OF_COMMAND = Duration.ofMillis(200);

  private static final long YOUNG = Duration.ofSeconds(10).toNanos();

  private final Arguments arguments;
  private final Words words;
  private final Console console;
  private final RunEvents events;
  private final Signals signals;
  private final Clock clock;

  /** {@code clock} is the one by which leases are granted. */
  LeaseRun(
      Arguments arguments,
      Words words,
      Console console,
      RunEvents events,
      Signals signals,
      Clock clock) {
    this.arguments = arguments;
    this.words = words;
    this.console = console;
    this.events = events;
    this.signals = signals;
    this.clock = clock;
  }

  /**
   * How it ended.
   *
   * @param code the exit code
   * @param byItself whether the command ended, or could not be started, while the lease stood as
   *     far as was known
   */
  record Ended(int code, boolean byItself) {
    /** The lease was lost, or about to be, and the command had to end. */
    static final Ended LOST = new Ended(ExitCode.LOST, false);
  }

  /** What the arguments say of the lock. */
  static LockOptions options(Arguments arguments) {
    LockOptions options = LockOptions.defaults();
    Optional<Duration> ttl = arguments.duration(Option.TTL);
    if (ttl.isPresent()) {
      options = options.withTtl(ttl.get());
    }
    Optional<Duration> maxHold = arguments.duration(Option.MAX_HOLD);
    if (maxHold.isPresent()) {
      options = options.withMaxHold(maxHold.get());
    }
    Optional<Duration> minHold = arguments.duration(Option.MIN_HOLD);
    if (minHold.isPresent()) {
      options = options.withMinHold(minHold.get());
    }
    return arguments.has(Option.FAIR) ? options.fair() : options;
  }

  /**
   * Runs the command until it ends, or the lease does.
   *
   * @param granted when the lease was granted, at the earliest
   */
  Ended run(Lease lease, LockOptions options, long granted) {
    List<String> command = words.texts().subList(arguments.childStart(), words.texts().size());
    Duration ttl = options.ttl().orElseGet(lease::remaining);
    if (!lease.isHeld()) {
      console.say("lost '" + lease.name() + "' before the command began");
      return Ended.LOST;
    }
    ChildProcess child;
    try {
      child =
          ChildProcess.start(
              command, words.intact(), Holding.of(lease), Redirect.INHERIT, Redirect.INHERIT);
    } catch (NotStartedException e) {
      console.say(e);
      return released(lease, e.exitCode());
    }
    Limits limits = Limits.of(ttl, options.maxHold(), granted);
    Guard guard = new Guard(console, clock, lease, limits, events, child.tree());
    try {
      events.nudge(guard::look);
      signals.passTo(arguments.has(Option.NO_FORWARD) ? signal -> {} : child::pass);
      watch(child, guard);
      boolean isYoung = clock.nanos() - granted < YOUNG;
      outlast(child, guard, lease.name(), isYoung);
    } catch (RuntimeException e) {
      // The lock will be released: nothing may run on without it
      child.tree().kill();
      throw e;
    }
    if (guard.acted()) {
      free(lease);
      return Ended.LOST;
    }
    if (!Guard.isConfirmed(lease)) {
      console.say("lost '" + lease.name() + "' while the command ran");
      return new Ended(ExitCode.LOST, true);
    }
    return released(lease, child.exitCode());
  }

  /** Until the command has ended; if it was asked to end, until all that it started has. */
  private static void watch(ChildProcess child, Guard guard) {
    boolean running = true;
    while (running) {
      guard.look();
      try {
        running = !child.waitFor(guard.calm());
      } catch (InterruptedException e) {
        // There is no other interrupt: a signal interrupts only while this thread waits for the
        // lock
      }
    }
    while (guard.isPatient() && child.tree().isAlive()) {
      guard.look();
      Pause.of(guard.calm());
    }
  }

  /** Looks once for what the command started and left behind; that may be waited for. */
  private void outlast(ChildProcess child, Guard guard, String name, boolean isYoung) {
    boolean waits = arguments.has(Option.WAIT_ALL);
    if (guard.acted() || !child.tree().isAliveFor(END_OF_COMMAND, isYoung && !waits)) {
      return;
    }
    console.say(
        "the command has ended, and what it started still runs ("
            + child.tree().pids()
            + "): the lock '"
            + name
            + (waits
                ? "' is held until that has ended"
                : "' is free all the same; --wait-all would hold it until that has ended"));
    while (waits && child.tree().isAlive()) {
      guard.look();
      Pause.of(guard.calm());
    }
  }

  private Ended released(Lease lease, int code) {
    return new Ended(release(lease) ? code : ExitCode.LOST, true);
  }

  /**
   * Whether the lease was held to the end. That its release is in doubt is said, and changes
   * nothing: its ttl ends it.
   */
  boolean release(Lease lease) {
    try {
      lease.release();
    } catch (LeaseLostException e) {
      console.say(e);
      return false;
    } catch (StoreException e) {
      console.say(e);
    }
    return true;
  }

  /** Releases what may be lost: that has been said. */
  private void free(Lease lease) {
    try {
      lease.release();
    } catch (LeaseLostException e) {
      // Said
    } catch (StoreException e) {
      console.say(e);
    }
  }
}
