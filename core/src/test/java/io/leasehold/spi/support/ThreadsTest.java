package io.leasehold.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.support.Scheduler.Lane;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ThreadsTest {
  /** The only callback there is: no later one starts a thread for it. */
  @Test
  void aCallbackRunsThoughItsThreadCannotStartAtFirst() throws InterruptedException {
    AtomicInteger starts = new AtomicInteger();
    CountDownLatch ran = new CountDownLatch(1);
    try (Threads threads =
        new Threads(
            1,
            thread -> {
              if (starts.incrementAndGet() < 3) {
                throw new OutOfMemoryError("planted: unable to create native thread");
              }
              thread.start();
            })) {
      threads.callback(Lane.LOSS, ran::countDown);
      assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(starts).hasValue(3);
  }
}
