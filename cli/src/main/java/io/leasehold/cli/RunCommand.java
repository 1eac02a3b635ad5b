package io.leasehold.cli;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** {@code run}: acquires the lock, runs the command, releases the lock. */
final class RunCommand {
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
    LockOptions options = LeaseRun.options(arguments);
    Optional<Permits> permits = permits();
    int busyExit = arguments.busyExit();
    Optional<Duration> wait = arguments.maxWait();
    Signals signals = Signals.take();
    Patience patience = new Patience(wait, signals, console);
    LeaseRun held = new LeaseRun(arguments, words, console, events, signals, clock);
    try (LockClient locks = patience.ask(() -> store.open(events))) {
      patience.opened();
      DistributedLock lock = lock(locks, name, permits).with(options);
      Lease lease = patience.ask(() -> acquire(lock, patience.left()));
      long granted = clock.nanos();
      int ended = signals.endWait();
      if (ended != 0) {
        Thread.interrupted(); // the signal has done its work, and the release must not be disturbed
        held.release(lease);
        return ended;
      }
      return held.run(lease, options, granted).code();
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

  /** Says why the lock was not acquired, and returns the exit code. */
  private int failed(LockException e, int busyExit) {
    int code = ExitCode.ofWait(e, events.waited());
    if (code != ExitCode.TIMEOUT) {
      console.say(ExitCode.reason(e), e);
      return code;
    }
    console.remark(ExitCode.reason(e));
    return busyExit;
  }
}
