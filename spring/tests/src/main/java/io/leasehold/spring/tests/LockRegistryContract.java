package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.spring.RegistryLock;
import io.leasehold.testkit.InMemoryServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** The lock registry of Spring Integration, which the starter of its line has. */
public abstract class LockRegistryContract {
  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final String KEY = "key";

  private final InMemoryServer server = new InMemoryServer();
  private final LockClient one = Leasehold.builder(server).build();
  private final LockClient two = Leasehold.builder(server).build();

  /** A registry of this line. */
  protected abstract RenewableLockRegistry over(LockClient locks);

  /** A client on a store of this test alone. */
  protected final LockClient client() {
    return one;
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
  }

  private Lock here() {
    return over(one).obtain(KEY);
  }

  private Lock there() {
    return over(two).obtain(KEY);
  }

  @Test
  void aLockExcludesOtherProcessesAndThreads() throws Exception {
    here().lock();
    assertThat(there().tryLock()).isFalse();
    assertThat(there().tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(elsewhere(() -> here().tryLock())).isFalse();
    assertThat(over(two).obtain("other").tryLock()).isTrue();
    here().unlock();
    assertThat(there().tryLock()).isTrue();
    there().unlock();
    here().lockInterruptibly();
    here().unlock();
  }

  @Test
  void aThreadMayLockAgain() {
    Lock lock = here();
    lock.lock();
    assertThat(here().tryLock()).isTrue();
    lock.unlock();
    assertThat(there().tryLock()).isFalse();
    lock.unlock();
    assertThat(there().tryLock()).isTrue();
    there().unlock();
  }

  @Test
  void onlyItsThreadUnlocks() throws Exception {
    Lock lock = here();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    lock.lock();
    assertThat(elsewhere(() -> thrownBy(lock::unlock)))
        .isInstanceOf(IllegalMonitorStateException.class);
    lock.unlock();
    assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
  }

  /** Asked for more than remains after an instant, it asks the store. */
  @Test
  void anExceptionTellsOfALoss() {
    RegistryLock lock = (RegistryLock) here();
    lock.lock(Duration.ofMinutes(5));
    breakIt();
    assertThat(there().tryLock()).isTrue();
    await()
        .pollInSameThread()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> lock.renew(Duration.ofMillis(296_900)))
                    .isInstanceOf(IllegalStateException.class));
    assertThatThrownBy(() -> over(one).renewLock(KEY))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("lost");
    assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    assertThat(two.lock(KEY).isLocked()).isTrue();
    there().unlock();
  }

  private void breakIt() {
    long token = two.lock(KEY).inspect().orElseThrow().holders().get(0).fencingToken();
    assertThat(two.lock(KEY).breakLease(token)).isTrue();
  }

  @Test
  void renewingChecksThatTheThreadHoldsIt() throws Exception {
    RenewableLockRegistry registry = over(one);
    assertThatThrownBy(() -> registry.renewLock(KEY)).isInstanceOf(IllegalStateException.class);
    here().lock();
    registry.renewLock(KEY);
    assertThat(elsewhere(() -> thrownBy(() -> registry.renewLock(KEY))))
        .isInstanceOf(IllegalStateException.class);
    here().unlock();
  }

  @Test
  void aLockMayHaveATtlOfItsOwn() throws Exception {
    RegistryLock lock = (RegistryLock) here();
    lock.lock(Duration.ofMinutes(5));
    assertThat(remaining()).isGreaterThan(Duration.ofMinutes(4));
    lock.renew(Duration.ofMinutes(4));
    lock.renew(Duration.ofDays(1));
    lock.unlock();
    assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofMinutes(5))).isTrue();
    assertThat(remaining()).isGreaterThan(Duration.ofMinutes(4));
    assertThat(((RegistryLock) there()).tryLock(Duration.ZERO, Duration.ofSeconds(1))).isFalse();
    lock.unlock();
    assertThatThrownBy(() -> lock.renew(Duration.ofSeconds(1)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> lock.lock(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
  }

  private Duration remaining() {
    return one.lock(KEY).inspect().orElseThrow().holders().get(0).remaining();
  }

  @Test
  void aKeyIsAString() {
    assertThatThrownBy(() -> over(one).obtain(new Object()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("string");
    assertThatThrownBy(() -> over(one).obtain("")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void workIsExecutedUnderTheLock() throws Exception {
    assertThat(
            over(one)
                .<Boolean, RuntimeException>executeLocked(
                    KEY, () -> two.lock(KEY).isLocked() && !there().tryLock()))
        .isTrue();
    assertThat(two.lock(KEY).isLocked()).isFalse();
    try (Lease held = two.lock(KEY).acquire()) {
      assertThatThrownBy(
              () ->
                  over(one)
                      .<RuntimeException>executeLocked(
                          KEY, Duration.ofMillis(50), () -> held.release()))
          .isInstanceOf(TimeoutException.class);
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void threadsOfTwoProcessesDoNotMeet() {
    int threads = 8;
    int times = 50;
    int[] counter = {0};
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Lock lock = i % 2 == 0 ? here() : there();
        all.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int n = 0; n < times; n++) {
                    lock.lock();
                    try {
                      int seen = counter[0];
                      Thread.onSpinWait();
                      counter[0] = seen + 1;
                    } finally {
                      lock.unlock();
                    }
                  }
                },
                pool));
      }
      all.forEach(CompletableFuture::join);
    } finally {
      pool.shutdownNow();
    }
    assertThat(counter[0]).isEqualTo(threads * times);
  }

  /** One leads; when it loses its lock, or stops, the other does. */
  @Test
  void theLeaderInitiatorElectsOneAndAnotherAfterALoss() {
    LockRegistryLeaderInitiator first = initiator(one);
    LockRegistryLeaderInitiator second = initiator(two);
    try {
      first.start();
      await().atMost(PATIENCE).until(() -> first.getContext().isLeader());
      second.start();
      assertThat(second.getContext().isLeader()).isFalse();
      breakIt();
      await()
          .atMost(PATIENCE)
          .until(() -> second.getContext().isLeader() && !first.getContext().isLeader());
      second.stop();
      await().atMost(PATIENCE).until(() -> first.getContext().isLeader());
      assertThat(second.getContext().isLeader()).isFalse();
    } finally {
      first.destroy();
      second.destroy();
    }
  }

  private LockRegistryLeaderInitiator initiator(LockClient locks) {
    LockRegistryLeaderInitiator initiator =
        new LockRegistryLeaderInitiator(over(locks), new DefaultCandidate("a node", KEY));
    initiator.setHeartBeatMillis(100);
    initiator.setBusyWaitMillis(50);
    return initiator;
  }

  @Test
  void theStarterHasOneUnlessTheApplicationDoes() {
    Contexts.with()
        .withUserConfiguration(StarterContract.OwnClient.class)
        .run(
            context -> {
              Lock lock = context.getBean(LockRegistry.class).obtain(KEY);
              lock.lock();
              assertThat(context.getBean(LockClient.class).lock(KEY).isLocked()).isTrue();
              lock.unlock();
            });
    Contexts.with()
        .withUserConfiguration(StarterContract.OwnClient.class)
        .withBean(DefaultLockRegistry.class)
        .run(context -> assertThat(context).hasSingleBean(LockRegistry.class));
  }

  private static Throwable thrownBy(Runnable work) {
    try {
      work.run();
      return new AssertionError("nothing was thrown");
    } catch (RuntimeException e) {
      return e;
    }
  }

  private static <T> T elsewhere(java.util.concurrent.Callable<T> work) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      return thread.submit(work).get();
    } finally {
      thread.shutdown();
    }
  }
}
