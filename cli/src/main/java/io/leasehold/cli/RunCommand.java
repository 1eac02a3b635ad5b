package io.leasehold.cli;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockClient;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.LockTimeoutException;
import io.leasehold.MissingTraitException;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code run}: acquires the lock, runs the command, releases the lock. */
final class RunCommand {
  /** What ends with the command, as a tee behind it does, may take so long. */
  private static final Duration END_OF_COMMAND = Duration.ofMillis(200);

  private static final long YOUNG = Duration.ofSeconds(10).toNanos();

  private final Arguments arguments;
  private final Words words;
  private final StoreChoice store;
  private final Console console;
  private final RunEvents events;
  private final Clock clock = new SystemClock();

  RunCommand(
      Arguments arguments,
      Words words,
      StoreChoice store,
      Console console,
      Map<String, String> environment) {
    this.arguments = arguments;
    this.words = words;
    this.store = store;
    this.console = console;
    this.events = new RunEvents(console, environment);
  }

  /** Does it on the calling thread, and returns the exit code. */
  int run() {
    String name = name();
    LockOptions options = options();
    Optional<Permits> permits = permits();
    int busyExit = arguments.busyExit();
    Optional<Duration> wait = arguments.maxWait();
    Signals signals = Signals.take();
    Patience patience = new Patience(wait, signals, console);
    try (LockClient locks = patience.ask(() -> store.open(events))) {
      patience.opened();
      DistributedLock lock = lock(locks, name, permits).with(options);
      Lease lease = patience.ask(() -> acquire(lock, patience.left()));
      long granted = clock.nanos();
      int ended = signals.endWait();
      if (ended != 0) {
        Thread.interrupted(); // the signal has done its work, and the release must not be disturbed
        release(lease);
        return ended;
      }
      return hold(lease, options, granted, signals);
    } catch (InterruptedException e) {
      return signals.endedBy();
    } catch (LockException e) {
      int ended = signals.endedBy();
      return ended != 0 ? ended : failed(e, busyExit);
    }
  }

  private String name() {
    return arguments.nameOfCommand(words.texts(), "lock name");
  }

  private LockOptions options() {
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

  private Optional<Permits> permits() {
    Optional<Permits> permits = arguments.value(Option.PERMITS).map(Permits::parse);
    if (permits.isPresent() && arguments.has(Option.SHARED)) {
      throw new UsageException("--shared and --permits exclude each other: a lock, or a semaphore");
    }
    return permits;
  }

  private DistributedLock lock(LockClient locks, String name, Optional<Permits> permits) {
    if (permits.isPresent()) {
      return permits.get().of(locks, name);
    }
    return arguments.has(Option.SHARED) ? locks.readWriteLock(name).readLock() : locks.lock(name);
  }

  private static Lease acquire(DistributedLock lock, Optional<Duration> wait)
      throws InterruptedException {
    return wait.isPresent() ? lock.acquire(wait.get()) : lock.acquire();
  }

  /** The library's reason, without what only a programmer can do about it. */
  private static String reason(LockException e) {
    String message = String.valueOf(e.getMessage());
    if (e instanceof LockTimeoutException) {
      int advice = message.lastIndexOf("; ");
      return advice < 0 ? message : message.substring(0, advice);
    }
    if (e instanceof MissingTraitException missing && missing.trait() == Trait.FIFO) {
      return "this store keeps no queue: leave out --fair, or take a store that does";
    }
    return message;
  }

  /** Says why the lock was not acquired, and returns the exit code. */
  private int failed(LockException e, int busyExit) {
    int code = ExitCode.ofWait(e, events.waited());
    if (code != ExitCode.TIMEOUT) {
      console.say(reason(e), e);
      return code;
    }
    console.remark(reason(e));
    return busyExit;
  }

  private int hold(Lease lease, LockOptions options, long granted, Signals signals) {
    List<String> command = words.texts().subList(arguments.childStart(), words.texts().size());
    Duration ttl = options.ttl().orElseGet(lease::remaining);
    if (!lease.isHeld()) {
      return lost("lost '" + lease.name() + "' before the command began");
    }
    ChildProcess child;
    try {
      child =
          ChildProcess.start(
              command, words.intact(), Holding.of(lease), Redirect.INHERIT, Redirect.INHERIT);
    } catch (NotStartedException e) {
      console.say(e);
      return release(lease) ? e.exitCode() : ExitCode.LOST;
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
      return ExitCode.LOST;
    }
    if (!Guard.isConfirmed(lease)) {
      return lost("lost '" + lease.name() + "' while the command ran");
    }
    return release(lease) ? child.exitCode() : ExitCode.LOST;
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

  private int lost(String reason) {
    console.say(reason);
    return ExitCode.LOST;
  }

  /**
   * Whether the lease was held to the end. That its release is in doubt is said, and changes
   * nothing: its ttl ends it.
   */
  private boolean release(Lease lease) {
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
