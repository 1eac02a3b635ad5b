package io.leasehold.cli;

import io.leasehold.StoreException;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.Optional;

/**
 * How long the caller waits. With {@code --wait} a store that does not answer yet, since it still
 * starts or is busy, is asked again until then; without, its first silence is the end.
 */
final class Patience {
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Optional<Duration> wait;
  private final Signals signals;
  private final Console console;
  private final Clock clock = new SystemClock();
  private long begin = clock.nanos();
  private boolean said;

  /** The wait begins now. */
  Patience(Optional<Duration> wait, Signals signals, Console console) {
    this.wait = wait;
    this.signals = signals;
    this.console = console;
  }

  /** A request to the store, which may have to be made again. */
  interface Request<T> {
    T ask() throws InterruptedException;
  }

  /** The store is open: if that was done at once, the wait begins only now. */
  void opened() {
    begin = said ? begin : clock.nanos();
  }

  /** What is left of {@code --wait}; empty if there is no end. */
  Optional<Duration> left() {
    return wait.map(
        most -> {
          Duration left = most.minusNanos(clock.nanos() - begin);
          return left.isNegative() ? Duration.ZERO : left;
        });
  }

  /**
   * The answer to the request, which is made again until then if the store does not answer.
   *
   * @throws StoreException what the last request ended with
   * @throws InterruptedException if a signal came meanwhile
   */
  <T> T ask(Request<T> request) throws InterruptedException {
    Duration pause = SHORTEST_PAUSE;
    while (true) {
      try {
        return request.ask();
      } catch (StoreException e) {
        Duration left = left().orElse(Duration.ZERO);
        if (e.failure() == StoreException.Failure.REFUSED
            || left.isZero()
            || signals.endedBy() != 0) {
          throw e;
        }
        say(e);
        Pause.of(pause.compareTo(left) < 0 ? pause : left);
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      pause =
          Durations.nanos(pause) * 2 < Durations.nanos(LONGEST_PAUSE)
              ? pause.multipliedBy(2)
              : LONGEST_PAUSE;
    }
  }

  private void say(StoreException e) {
    if (!said) {
      said = true;
      console.remark("no answer yet, asking again: " + e.getMessage());
    }
  }
}
