package io.leasehold.cli;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import io.leasehold.LockSnapshot.Holder;
import io.leasehold.StoreException;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * {@code wait}: looks until the lock has no holder. It leaves no trace in the store: the holders
 * and waiters of the lock see no further waiter.
 */
final class WaitCommand {
  /** The interval grows with the time waited, so that it adds little to that. */
  private static final int PART_OF_WAITED = 20;

  private static final long SHORTEST = Duration.ofMillis(2).toNanos();
  private static final long LONGEST = Duration.ofSeconds(1).toNanos();

  private final Arguments arguments;
  private final StoreChoice store;
  private final Console console;
  private final Clock clock = new SystemClock();

  WaitCommand(Arguments arguments, StoreChoice store, Console console) {
    this.arguments = arguments;
    this.store = store;
    this.console = console;
  }

  /** Waits on the calling thread, and returns the exit code. */
  int run() {
    String name = arguments.lockName();
    Optional<Duration> most = arguments.maxWait();
    Signals signals = Signals.take();
    Patience patience = new Patience(most, signals, console);
    try (LockClient locks = patience.ask(() -> store.open(event -> {}))) {
      patience.opened();
      return watch(locks.lock(name), patience, signals);
    } catch (InterruptedException e) {
      return signals.endedBy();
    } catch (StoreException e) {
      if (signals.endedBy() != 0) {
        return signals.endedBy();
      }
      console.say(e);
      return ExitCode.ofWait(e, false);
    }
  }

  private int watch(DistributedLock lock, Patience patience, Signals signals)
      throws InterruptedException {
    // That the store cannot be asked is the end only at the beginning
    List<Holder> holders = patience.ask(() -> holders(lock));
    long begin = clock.nanos();
    String obstacle = heldBy(holders);
    if (!holders.isEmpty() && !isOver(patience)) {
      console.remark("waiting for '" + lock.name() + "', " + obstacle);
    }
    while (!holders.isEmpty()) {
      long waited = clock.nanos() - begin;
      if (signals.endedBy() != 0) {
        Thread.interrupted(); // the signal has done its work
        return signals.endedBy();
      }
      if (isOver(patience)) {
        console.remark("'" + lock.name() + "' did not come free: " + obstacle);
        return ExitCode.TIMEOUT;
      }
      long interval = Math.max(SHORTEST, Math.min(LONGEST, waited / PART_OF_WAITED));
      Pause.of(Duration.ofNanos(Math.min(interval, left(patience))));
      try {
        holders = holders(lock);
        obstacle = heldBy(holders);
      } catch (StoreException e) {
        if (e.failure() == StoreException.Failure.REFUSED && signals.endedBy() == 0) {
          throw e;
        }
        obstacle = e.getMessage();
      }
    }
    return ExitCode.OK;
  }

  private static long left(Patience patience) {
    return patience.left().map(Durations::nanos).orElse(Long.MAX_VALUE);
  }

  private static boolean isOver(Patience patience) {
    return left(patience) <= 0;
  }

  private static List<Holder> holders(DistributedLock lock) {
    return lock.inspect().map(snapshot -> snapshot.holders()).orElse(List.of());
  }

  private static String heldBy(List<Holder> holders) {
    return holders.stream().map(holder -> "held by " + holder.holder()).findFirst().orElse("");
  }
}
