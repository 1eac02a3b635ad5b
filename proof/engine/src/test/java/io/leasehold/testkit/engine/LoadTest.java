package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockTimeoutException;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.engine.Engines.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many names, many waiters, many who give up: nothing is left, and few threads suffice. */
@Timeout(90)
class LoadTest {
  @RegisterExtension final Engines engines = new Engines();

  /** Without tombstones: what the server remembers is not what is measured. */
  @BeforeEach
  void serve() {
    engines.serve(InMemorySettings.defaults().withFeatures(Feature.FENCING));
  }

  @Test
  void tenThousandAsynchronousWaitersNeedAHandfulOfThreads() throws Exception {
    Engine one = engines.client();
    Lease held = one.lock("n").acquire();
    List<CompletableFuture<Long>> waits = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      waits.add(
          one.lock("n").acquireAsync(Duration.ofMinutes(5)).thenApply(LoadTest::tokenAndRelease));
    }
    assertThat(one.ledger().waiters()).isEqualTo(10_000);
    assertThat(engines.newThreads()).hasSizeLessThan(12);
    held.release();
    long last = held.fencingToken();
    for (CompletableFuture<Long> wait : waits) {
      long token = wait.get(60, java.util.concurrent.TimeUnit.SECONDS);
      assertThat(token).isGreaterThan(last);
      last = token;
    }
    // What each does when it is granted is code of the user, which may block
    assertThat(engines.newThreads()).hasSizeLessThan(Threads.MOST_CALLBACKS + 12);
  }

  private static long tokenAndRelease(Lease lease) {
    lease.release();
    return lease.fencingToken();
  }

  @Test
  void aHundredThousandNamesLeaveNothing() throws Exception {
    Engine one = engines.client();
    useNames(one, 5_000);
    long before = usedHeap();
    useNames(one, 100_000);
    assertThat(one.ledger().isZero()).isTrue();
    assertThat(usedHeap() - before).as("growth of the heap").isLessThan(8_000_000);
  }

  private static void useNames(Engine engine, int howMany) throws InterruptedException {
    for (int i = 0; i < howMany; i++) {
      engine.lock("name " + i).acquire().release();
    }
  }

  @Test
  void aHundredThousandTimedOutWaitsLeaveNothing() throws Exception {
    Engine one = engines.client();
    try (Lease held = one.lock("n").acquire()) {
      timeOut(one.lock("n"), 5_000);
      long before = usedHeap();
      timeOut(one.lock("n"), 100_000);
      assertThat(usedHeap() - before).as("growth of the heap").isLessThan(8_000_000);
      assertThat(held.isHeld()).isTrue();
    }
  }

  private static void timeOut(DistributedLock lock, int howMany) throws Exception {
    for (int i = 0; i < howMany; i++) {
      assertThat(lock.tryAcquire(Duration.ofNanos(1 + i % 1000))).isEmpty();
    }
  }

  private long usedHeap() {
    engines.forgetEvents();
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  /** Microsecond timeouts must neither starve everybody nor leave anything. */
  @ParameterizedTest
  @EnumSource
  void aStormOfShortTimeoutsStillMakesProgress(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    AtomicInteger won = new AtomicInteger();
    List<Running<String>> callers = new ArrayList<>();
    long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
    for (int t = 0; t < 8; t++) {
      Engine engine = t % 2 == 0 ? one : two;
      callers.add(
          start(
              () -> {
                while (System.nanoTime() < end) {
                  long wait = ThreadLocalRandom.current().nextLong(1, 2_000_000);
                  try (Lease lease = engine.lock("n").acquire(Duration.ofNanos(wait))) {
                    won.incrementAndGet();
                    assertThat(lease.isHeld()).isTrue();
                  } catch (LockTimeoutException e) {
                    // Most of them.
                  } catch (io.leasehold.StoreException e) {
                    // Its first request was under way.
                  }
                }
                return "";
              }));
    }
    for (Running<String> caller : callers) {
      caller.result();
    }
    assertThat(won.get()).isGreaterThan(50);
  }

  @ParameterizedTest
  @EnumSource
  void aStormOfCancelsLeavesNothing(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    List<CompletableFuture<Lease>> futures = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      Engine engine = i % 2 == 0 ? one : two;
      CompletableFuture<Lease> future =
          engine.lock("n" + i % 3).acquireAsync(Duration.ofSeconds(30));
      future.thenAccept(Lease::release);
      futures.add(future);
      if (i % 3 != 0) {
        futures.get(ThreadLocalRandom.current().nextInt(futures.size())).cancel(true);
      }
    }
    for (CompletableFuture<Lease> future : futures) {
      future.handle((lease, failure) -> "").get(60, java.util.concurrent.TimeUnit.SECONDS);
    }
    await().until(() -> one.ledger().isZero() && two.ledger().isZero());
  }
}
