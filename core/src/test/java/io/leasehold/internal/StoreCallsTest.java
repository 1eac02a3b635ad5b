package io.leasehold.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.StoreException;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StoreCallsTest {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

  private final ByHand time = new ByHand();
  private final StoreCalls calls =
      new StoreCalls(time, time, REQUEST_TIMEOUT.toNanos(), Calls.NON_BLOCKING);
  private final List<String> late = new ArrayList<>();

  /** A timer for each would wake the timer's thread on the way to the next holder. */
  @Test
  void requestsThatAreAnsweredShareOneTimer() {
    for (int i = 0; i < 1000; i++) {
      CompletableFuture<Boolean> request = send("answered", REQUEST_TIMEOUT);
      time.advance(Duration.ofNanos(1000));
      request.complete(true);
    }
    assertThat(time.scheduled).isEqualTo(1);
    time.advance(REQUEST_TIMEOUT.multipliedBy(10));
    assertThat(late).isEmpty();
    assertThat(time.timers).as("with nothing to wait for").isEmpty();
  }

  @Test
  void eachRequestIsLateInItsOwnTime() {
    send("long", Duration.ofSeconds(10));
    send("short", Duration.ofMillis(50));
    send("answered", Duration.ofMillis(20)).complete(true);
    time.advance(Duration.ofMillis(49));
    assertThat(late).isEmpty();
    time.advance(Duration.ofMillis(1));
    assertThat(late).containsExactly("short");
    send("next", Duration.ofSeconds(1));
    time.advance(Duration.ofSeconds(1));
    assertThat(late).containsExactly("short", "next");
    time.advance(Duration.ofSeconds(9));
    assertThat(late).containsExactly("short", "next", "long");
  }

  /** What one caller does with the end of its request must not keep the others from theirs. */
  @Test
  void aRequestIsLateThoughWhatAnotherDoesAboutThatFails() {
    calls.callOwn(
        Work.WATCH,
        CompletableFuture::new,
        50_000_000,
        (answer, failed) -> {
          throw new IllegalStateException("planted");
        });
    send("second", Duration.ofMillis(50));
    time.advance(Duration.ofMillis(50));
    assertThat(late).containsExactly("second");
  }

  /** The thread of the timers could not be started, for example. */
  @Test
  void aTimerThatCouldNotBeSetKeepsNoOtherRequestFromItsEnd() {
    time.isFailing = true;
    assertThatThrownBy(() -> send("first", Duration.ofMillis(50)))
        .isInstanceOf(OutOfMemoryError.class);
    time.isFailing = false;
    send("second", Duration.ofMillis(50));
    time.isFailing = true;
    assertThatThrownBy(() -> send("sooner", Duration.ofMillis(20)))
        .isInstanceOf(OutOfMemoryError.class);
    time.advance(Duration.ofMillis(50));
    assertThat(late).contains("second");
  }

  private CompletableFuture<Boolean> send(String name, Duration within) {
    CompletableFuture<Boolean> request = new CompletableFuture<>();
    calls.callOwn(
        Work.WATCH,
        () -> request,
        within.toNanos(),
        new StoreCalls.Answer<Boolean>() {
          @Override
          public void now(@Nullable Boolean value, @Nullable StoreException failure) {
            assertThat(failure).isNull();
          }

          @Override
          public void timedOut(StoreException failure) {
            late.add(name);
          }
        });
    return request;
  }

  /** A clock that a test sets forward, and the timers that are due by it. */
  private static final class ByHand implements Clock, Scheduler {
    final List<Due> timers = new ArrayList<>();
    int scheduled;
    boolean isFailing;
    private long now;

    private record Due(long at, Runnable task) {}

    void advance(Duration by) {
      long end = now + by.toNanos();
      while (timers.stream().anyMatch(timer -> timer.at <= end)) {
        Due next = timers.stream().min(Comparator.comparingLong(Due::at)).orElseThrow();
        timers.remove(next);
        now = Math.max(now, next.at);
        next.task.run();
      }
      now = end;
    }

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public long wallMillis() {
      return now / 1_000_000;
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
      scheduled++;
      if (isFailing) {
        throw new OutOfMemoryError("planted: unable to create native thread");
      }
      Due due = new Due(now + delayNanos, task);
      timers.add(due);
      return () -> timers.remove(due);
    }

    @Override
    public void request(Runnable task) {
      task.run();
    }

    @Override
    public void renewal(Runnable task) {
      task.run();
    }

    @Override
    public void callback(Runnable task) {
      task.run();
    }

    @Override
    public void close() {}
  }
}
