package io.leasehold.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.spi.support.Scheduler.Lane;
import io.leasehold.spi.support.Scheduler.Timer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class ThreadsTest {
  /** The only callback there is: no later one starts a thread for it. */
  @Test
  void aCallbackRunsThoughItsThreadCannotStartAtFirst() throws InterruptedException {
    AtomicInteger starts = new AtomicInteger();
    CountDownLatch ran = new CountDownLatch(1);
    try (Threads threads = thirdStartsOf("loss", starts)) {
      threads.callback(Lane.LOSS, ran::countDown);
      assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(starts).hasValue(3);
  }

  /** Nothing else would begin it anew, and what waits for it would wait for ever. */
  @Test
  void workInTheBackgroundRunsThoughItsThreadCannotStartAtFirst() throws InterruptedException {
    AtomicInteger starts = new AtomicInteger();
    CountDownLatch ran = new CountDownLatch(1);
    try (Threads threads = thirdStartsOf("request", starts)) {
      threads.background(ran::countDown);
      assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(starts).hasValue(3);
  }

  /** The system has no thread for the first two of this kind. */
  private static Threads thirdStartsOf(String kind, AtomicInteger starts) {
    return new Threads(
        1,
        thread -> {
          if (thread.getName().contains(kind) && starts.incrementAndGet() < 3) {
            throw new OutOfMemoryError("planted: unable to create native thread");
          }
        });
  }

  /** As those of requests are, which are answered long before. */
  @Test
  void timersThatAreTakenBackWakeNoThread() throws Exception {
    int timers = 300;
    try (Threads threads = new Threads()) {
      CompletableFuture<Thread> ofTimers = new CompletableFuture<>();
      Timer first = threads.schedule(() -> ofTimers.complete(Thread.currentThread()), 0);
      Thread thread = ofTimers.get(10, TimeUnit.SECONDS);
      first.cancel();
      long before = waits(thread);
      long begun = System.nanoTime();
      for (int i = 0; i < timers; i++) {
        threads.schedule(() -> {}, TimeUnit.SECONDS.toNanos(10)).cancel();
        awaitWaiting(thread);
      }
      long ticks = (System.nanoTime() - begun) / TimeUnit.MILLISECONDS.toNanos(100);
      assertThat(waits(thread) - before).isLessThanOrEqualTo(10 + 3 * ticks);
      assertThat(ticks).as("so many that they hide all others").isLessThan(timers / 4);
    }
  }

  /** Not even after a while without any, as before the release of a lock that others wait for. */
  @Test
  void aTimerBehindAnotherWakesNoThread() throws Exception {
    try (Threads threads = new Threads()) {
      CompletableFuture<Thread> ofTimers = new CompletableFuture<>();
      threads.schedule(() -> {}, TimeUnit.MINUTES.toNanos(1));
      threads.schedule(
          () -> ofTimers.complete(Thread.currentThread()), TimeUnit.MILLISECONDS.toNanos(300));
      Thread thread = ofTimers.get(10, TimeUnit.SECONDS);
      awaitWaiting(thread);
      long before = waits(thread);
      threads.schedule(() -> {}, TimeUnit.MINUTES.toNanos(2));
      await()
          .pollInterval(Duration.ofMillis(1))
          .during(Duration.ofMillis(50))
          .until(() -> waits(thread) == before);
    }
  }

  @Test
  void aTimerIsDueInItsTimeWhateverOthersWaitFor() throws Exception {
    try (Threads threads = new Threads()) {
      for (int i = 0; i < 20; i++) {
        CompletableFuture<Long> ran = new CompletableFuture<>();
        long delay = 10L * i * 1_000_000;
        long due = System.nanoTime() + delay;
        Timer other = threads.schedule(() -> {}, TimeUnit.SECONDS.toNanos(10));
        Timer own = threads.schedule(() -> ran.complete(System.nanoTime()), delay);
        assertThat(ran.get(5, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(due);
        other.cancel();
        own.cancel();
      }
    }
  }

  private static long waits(Thread thread) {
    return ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId()).getWaitedCount();
  }

  /** An engineer who reads the log at night must find what hangs. */
  @Test
  void aCloseNamesTheThreadsThatDoNotEndAndWhatTheyAreIn() throws Exception {
    Logger logger = Logger.getLogger("io.leasehold");
    List<String> messages = new CopyOnWriteArrayList<>();
    Handler recorder = new Recorder(messages);
    CountDownLatch runs = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    logger.addHandler(recorder);
    try {
      Threads threads = new Threads();
      threads.request(() -> hang(runs, end));
      assertThat(runs.await(10, TimeUnit.SECONDS)).isTrue();
      threads.close(Duration.ofMillis(10));
    } finally {
      logger.removeHandler(recorder);
      end.countDown();
    }
    assertThat(messages)
        .singleElement()
        .asString()
        .contains("still runs", "leasehold-request-1 in ", "ThreadsTest.hang(", " of ");
  }

  private static void hang(CountDownLatch runs, CountDownLatch end) {
    runs.countDown();
    boolean ended = false;
    while (!ended) {
      try {
        end.await();
        ended = true;
      } catch (InterruptedException e) {
        // The close interrupts it; it goes on
      }
    }
  }

  private static final class Recorder extends Handler {
    private final List<String> messages;

    Recorder(List<String> messages) {
      this.messages = messages;
    }

    @Override
    public void publish(LogRecord record) {
      messages.add(record.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static void awaitWaiting(Thread thread) {
    await()
        .pollInterval(Duration.ofNanos(100_000))
        .until(
            () ->
                thread.getState() == Thread.State.WAITING
                    || thread.getState() == Thread.State.TIMED_WAITING);
  }
}
