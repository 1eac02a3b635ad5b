package io.leasehold.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What ShedLock expects of a provider and of one that extends, by the points of its own tests of
 * providers; each on two nodes.
 */
abstract class ProviderContract {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final List<LockClient> clients = new ArrayList<>();
  private final String name = "task-" + System.nanoTime();
  private LockProvider one;
  private LockProvider two;

  abstract LockClientBuilder builder();

  @BeforeEach
  void open() {
    one = provider();
    two = provider();
  }

  private LockProvider provider() {
    LockClient client = builder().build();
    clients.add(client);
    return new LeaseholdLockProvider(client);
  }

  @AfterEach
  void close() {
    clients.forEach(LockClient::close);
  }

  private LockConfiguration locked(Duration atMost, Duration atLeast) {
    return new LockConfiguration(Instant.now(), name, atMost, atLeast);
  }

  private SimpleLock take(Duration atMost, Duration atLeast) {
    return one.lock(locked(atMost, atLeast)).orElseThrow();
  }

  private void assertLocked() {
    for (LockProvider provider : List.of(one, two)) {
      assertThat(provider.lock(locked(LONG, Duration.ZERO))).isEmpty();
    }
  }

  private void assertFree() {
    for (LockProvider provider : List.of(two, one)) {
      Optional<SimpleLock> next = provider.lock(locked(LONG, Duration.ZERO));
      assertThat(next).isPresent();
      next.get().unlock();
    }
  }

  private void awaitFree() {
    await().atMost(PATIENCE).untilAsserted(this::assertFree);
  }

  // ---- a lock provider

  @Test
  void aLockIsLockedUntilItIsUnlocked() {
    for (int i = 0; i < 10; i++) {
      SimpleLock lock = take(LONG, Duration.ZERO);
      assertLocked();
      lock.unlock();
    }
    assertFree();
  }

  @Test
  void otherNamesAreOtherLocks() {
    SimpleLock lock = take(LONG, Duration.ZERO);
    LockConfiguration other =
        new LockConfiguration(Instant.now(), name + "-other", LONG, Duration.ZERO);
    assertThat(two.lock(other)).isPresent().get().satisfies(SimpleLock::unlock);
    lock.unlock();
  }

  @Test
  void itIsUnlockedOnce() {
    SimpleLock lock = take(LONG, Duration.ZERO);
    lock.unlock();
    assertThatIllegalStateException().isThrownBy(lock::unlock);
  }

  @Test
  void itEndsAtMostThen() {
    SimpleLock lock = take(SHORT, Duration.ZERO);
    awaitFree();
    SimpleLock next = take(LONG, Duration.ZERO);
    // Neither an exception, which would hide the result of the task, nor an end of the next one
    lock.unlock();
    assertLocked();
    next.unlock();
  }

  @Test
  void itIsLockedForAtLeastSoLong() {
    Duration atLeast = Duration.ofSeconds(4);
    long begin = System.nanoTime();
    take(LONG, atLeast).unlock();
    assertLocked();
    awaitFree();
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .isGreaterThan(atLeast.minusMillis(100))
        .isLessThan(PATIENCE);
  }

  @Test
  void threadsOfTwoNodesDoNotMeet() {
    int threads = 8;
    int times = 25;
    Tally tally = new Tally();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        LockProvider provider = i % 2 == 0 ? one : two;
        all.add(CompletableFuture.runAsync(() -> count(provider, times, tally), pool));
      }
      all.forEach(CompletableFuture::join);
    } finally {
      pool.shutdownNow();
    }
    assertThat(tally.overlaps).isZero();
    assertThat(tally.count).isEqualTo(threads * times);
  }

  /** Not guarded by anything but the lock. */
  private static final class Tally {
    int count;
    int overlaps;
    volatile boolean inside;
  }

  private void count(LockProvider provider, int times, Tally tally) {
    int done = 0;
    while (done < times) {
      Optional<SimpleLock> lock = provider.lock(locked(LONG, Duration.ofMillis(1)));
      if (lock.isPresent()) {
        if (tally.inside) {
          tally.overlaps++;
        }
        tally.inside = true;
        int seen = tally.count;
        Thread.onSpinWait();
        tally.count = seen + 1;
        tally.inside = false;
        lock.get().unlock();
        done++;
      }
    }
  }

  // ---- one that extends

  @Test
  void itIsExtended() throws Exception {
    SimpleLock lock = take(Duration.ofSeconds(3), Duration.ZERO);
    long until = System.nanoTime() + Duration.ofMillis(3_500).toNanos();
    SimpleLock longer = lock.extend(LONG, Duration.ZERO).orElseThrow();
    await().atMost(PATIENCE).until(() -> System.nanoTime() - until > 0);
    assertLocked();
    longer.unlock();
    assertFree();
  }

  @Test
  void itIsExtendedToLess() {
    assertThat(take(LONG, Duration.ZERO).extend(SHORT, Duration.ZERO)).isPresent();
    awaitFree();
  }

  @Test
  void itIsExtendedToAtLeastSoLong() {
    SimpleLock longer = take(LONG, Duration.ZERO).extend(LONG, Duration.ofSeconds(5)).orElseThrow();
    longer.unlock();
    assertLocked();
    awaitFree();
  }

  @Test
  void whatHasEndedIsNotExtended() {
    SimpleLock over = take(SHORT, Duration.ZERO);
    awaitFree();
    assertThat(over.extend(LONG, Duration.ZERO)).isEmpty();
    assertFree();
    SimpleLock unlocked = take(LONG, Duration.ZERO);
    unlocked.unlock();
    assertThatIllegalStateException().isThrownBy(() -> unlocked.extend(LONG, Duration.ZERO));
  }

  @Test
  void onlyTheLastOneCounts() {
    SimpleLock lock = take(LONG, Duration.ZERO);
    SimpleLock longer = lock.extend(LONG, Duration.ZERO).orElseThrow();
    assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
    assertThatIllegalStateException().isThrownBy(lock::unlock);
    assertLocked();
    longer.unlock();
    assertFree();
  }

  // ---- with ShedLock's executor

  @Test
  void theExecutorRunsItOnOneNode() throws Throwable {
    List<String> ran = new ArrayList<>();
    DefaultLockingTaskExecutor here = new DefaultLockingTaskExecutor(one);
    DefaultLockingTaskExecutor there = new DefaultLockingTaskExecutor(two);
    here.executeWithLock(
        (Runnable)
            () -> {
              LockAssert.assertLocked();
              ran.add("here");
              LockExtender.extendActiveLock(LONG, Duration.ZERO);
              // On a thread of its own: on this one the executor knows that it holds the lock
              CompletableFuture.runAsync(
                      () ->
                          there.executeWithLock(
                              (Runnable) () -> ran.add("there"), locked(LONG, Duration.ZERO)))
                  .join();
            },
        locked(LONG, Duration.ZERO));
    assertThat(ran).containsExactly("here");
    assertFree();
  }

  @Test
  void theExceptionOfATaskThatTookTooLongIsNotHidden() {
    assertThatThrownBy(
            () ->
                new DefaultLockingTaskExecutor(one)
                    .executeWithLock(
                        (Runnable)
                            () -> {
                              awaitFree();
                              throw new IllegalArgumentException("of the task");
                            },
                        locked(SHORT, Duration.ZERO)))
        .hasMessage("of the task");
  }
}
