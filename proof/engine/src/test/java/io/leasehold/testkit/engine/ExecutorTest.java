package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LockException;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code acquireAsync} completes where its caller wants it. */
@Timeout(90)
class ExecutorTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @RegisterExtension final Engines engines = new Engines();

  private static String thread() {
    return Thread.currentThread().getName();
  }

  @ParameterizedTest
  @EnumSource
  void aWaitEndsOnTheExecutor(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Lease held = one.lock("n").acquire();
    ExecutorService executor = Executors.newSingleThreadExecutor(r -> new Thread(r, "of the user"));
    try {
      CompletableFuture<String> granted = new CompletableFuture<>();
      CompletableFuture<String> several = new CompletableFuture<>();
      CompletableFuture<String> timedOut = new CompletableFuture<>();
      one.lock("n")
          .acquireAsync(Duration.ofMillis(50), executor)
          .whenComplete((lease, failed) -> timedOut.complete(thread()));
      assertThat(timedOut.get(5, TimeUnit.SECONDS)).isEqualTo("of the user");
      one.lock("n")
          .acquireAsync(LONG, executor)
          .thenAccept(
              lease -> {
                lease.release();
                granted.complete(thread());
              });
      one.allOf("m", "n")
          .acquireAsync(LONG, executor)
          .thenAccept(
              all -> {
                all.release();
                several.complete(thread());
              });
      held.release();
      assertThat(granted.get(5, TimeUnit.SECONDS)).isEqualTo("of the user");
      assertThat(several.get(5, TimeUnit.SECONDS)).isEqualTo("of the user");
    } finally {
      executor.shutdownNow();
    }
  }

  /** A lease that was granted must not be left without a holder. */
  @Test
  void anExecutorThatRefusesLosesNoCompletion() throws Exception {
    Engine one = engines.client();
    CompletableFuture<Lease> granted =
        one.lock("n")
            .acquireAsync(
                LONG,
                task -> {
                  throw new RejectedExecutionException("full, as it should be here");
                });
    granted.get(5, TimeUnit.SECONDS).release();
  }

  /** Though it blocks, as one does that lets its caller run the task. */
  @Test
  void anExecutorThatBlocksDelaysNoOther() throws Exception {
    Engine one = engines.client();
    CountDownLatch go = new CountDownLatch(1);
    Lease held = one.lock("n").acquire();
    CompletableFuture<Lease> blocked =
        one.lock("free")
            .acquireAsync(
                LONG,
                task -> {
                  try {
                    go.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  task.run();
                });
    assertThatThrownBy(
            () ->
                one.lock("n")
                    .acquireAsync(Duration.ofMillis(100), Runnable::run)
                    .get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LockException.class);
    assertThat(blocked).isNotDone();
    go.countDown();
    blocked.get(5, TimeUnit.SECONDS).release();
    held.release();
  }
}
