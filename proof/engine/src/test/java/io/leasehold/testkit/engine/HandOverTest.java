package io.leasehold.testkit.engine;

import static io.leasehold.testkit.InMemorySettings.Feature.DIRECT_GRANT;
import static io.leasehold.testkit.InMemorySettings.Feature.FENCING;
import static io.leasehold.testkit.InMemorySettings.Feature.QUEUE;
import static io.leasehold.testkit.InMemorySettings.Feature.TOMBSTONES;
import static io.leasehold.testkit.engine.Engines.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.ManualClock;
import io.leasehold.testkit.engine.Engines.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R4 and R20: order inside a process, and hand-over without a request. */
@Timeout(90)
class HandOverTest {
  @RegisterExtension final Engines engines = new Engines();

  @ParameterizedTest
  @EnumSource
  void aHandOverTakesTheNextTokenAndNoRequest(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, new ManualClock());
    Lease first = one.lock("n").acquire();
    Running<Lease> waiter = start(() -> one.lock("n").acquire());
    waiter.waiting();
    first.release();
    Lease second = waiter.result();
    assertThat(second.fencingToken()).isEqualTo(first.fencingToken() + 1);
    assertThat(FenceNumber.number(second.fencingToken()))
        .isEqualTo(FenceNumber.number(first.fencingToken()));
    assertThat(second.leaseId()).isEqualTo(first.leaseId());
    assertThat(first.isHeld()).isFalse();
    assertThat(factory.count("attempt")).isEqualTo(1);
    assertThat(factory.count("release")).isZero();
    second.release();
    Lease third = one.lock("n").acquire();
    assertThat(FenceNumber.number(third.fencingToken()))
        .isGreaterThan(FenceNumber.number(second.fencingToken()));
    third.release();
  }

  /** The kernel may run it at once in place of the thread that woke it. */
  @ParameterizedTest
  @EnumSource
  void theMutexIsFreeWhenTheNextHolderIsWoken(Calls calls) throws Exception {
    engines.serveReporting(calls);
    AtomicReference<Engine> client = new AtomicReference<>();
    List<Boolean> free = new CopyOnWriteArrayList<>();
    Engine one = engines.client(callingBeforeWakeUps(() -> free.add(isFree(client.get()))));
    client.set(one);
    Lease first = one.lock("n").acquire();
    Running<Lease> waiter = start(() -> one.lock("n").acquire()).waiting();
    first.release();
    waiter.result().release();
    assertThat(free).isNotEmpty().doesNotContain(false);
  }

  private static Scheduler callingBeforeWakeUps(Runnable call) {
    Threads threads = new Threads();
    return Engines.scheduler(
        (proxy, method, arguments) -> {
          if (method.getName().equals("unpark") && arguments[0] != null) {
            call.run();
          }
          return method.invoke(threads, arguments);
        });
  }

  /** Whether another thread can ask for it. */
  private static boolean isFree(Engine client) {
    try {
      return CompletableFuture.supplyAsync(() -> client.lock("n").tryAcquire())
          .get(5, TimeUnit.SECONDS)
          .isEmpty();
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** For the client that handed it over; the store knows only who took it. */
  @ParameterizedTest
  @EnumSource
  void whoHasItAfterAHandOverIsNamed(Calls calls) throws Exception {
    engines.serveReporting(calls);
    Engine one = engines.client();
    Lease first = one.lock("n").acquire();
    assertThat(holder(one)).endsWith("/" + Thread.currentThread().getName());
    Running<Lease> waiter = start(() -> one.lock("n").acquire()).waiting();
    first.release();
    Lease second = waiter.result();
    assertThat(holder(one)).endsWith("/caller").isNotEqualTo(holder(engines.client()));
    assertThatThrownBy(() -> one.lock("n").acquire(Duration.ofMillis(500)))
        .hasMessageContaining(holder(one));
    second.release();
  }

  private static String holder(Engine engine) {
    return engine.lock("n").inspect().orElseThrow().holders().get(0).holder();
  }

  @ParameterizedTest
  @EnumSource
  void waitersOfOneProcessAreServedInOrder(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Lease held = one.lock("n").acquire();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Running<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int number = i;
      waiters.add(
          start(
                  () -> {
                    try (Lease lease = one.lock("n").acquire()) {
                      order.add(number);
                      return lease.name();
                    }
                  })
              .waiting());
    }
    assertThat(one.lock("n").tryAcquire()).isEmpty();
    held.release();
    for (Running<String> waiter : waiters) {
      waiter.result();
    }
    assertThat(order).isSorted().hasSize(12);
  }

  @ParameterizedTest
  @EnumSource
  void fairWaitersOfTwoProcessesAreServedInOrder(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    Lease held = one.lock("n").acquire();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Running<String>> waiters = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int number = i;
      Engine engine = i % 2 == 0 ? one : two;
      waiters.add(
          start(
              () -> {
                try (Lease lease = engine.lock("n").with(LockOptions.defaults().fair()).acquire()) {
                  order.add(number);
                  return lease.name();
                }
              }));
      await().until(() -> engines.server().list().get(0).waiters().size() == number + 1);
    }
    held.release();
    for (Running<String> waiter : waiters) {
      waiter.result();
    }
    assertThat(order).isSorted().hasSize(8);
  }

  /** Nor does it get more of the lock by being quick: here no time passes at all. */
  @Test
  void aQuickProcessHandsAWantedLockOverNoMoreThanSoOften() throws Exception {
    engines.serve(
        InMemorySettings.defaults().withFeatures(FENCING, QUEUE, DIRECT_GRANT, TOMBSTONES));
    Engine one =
        engines.client(
            new FaultyStore.Factory(engines.server()), new ManualClock(), Duration.ofMillis(1));
    Lease held = engines.client().lock("n").acquire();
    List<CompletableFuture<Lease>> quick = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      quick.add(one.lock("n").acquireAsync(Duration.ofMinutes(1)));
    }
    await().until(() -> engines.server().list().get(0).waiters().size() == 1);
    Engine two = engines.client();
    Running<Lease> other = start(() -> two.lock("n").acquire());
    await().until(() -> engines.server().list().get(0).waiters().size() == 2);
    held.release();
    Lease first = quick.get(0).get();
    first.release();
    for (int i = 1; i <= 80; i++) {
      Lease next = quick.get(i).get();
      assertThat(next.fencingToken()).isEqualTo(first.fencingToken() + i);
      next.release();
    }
    Lease others = other.result();
    assertThat(quick.get(81)).isNotDone();
    assertThat(others.fencingToken()).isGreaterThan(first.fencingToken() + 80);
    others.release();
    for (CompletableFuture<Lease> left : quick.subList(81, 100)) {
      left.get().release();
    }
  }

  /** Another process is not kept waiting for longer than the hand-over time. */
  @ParameterizedTest
  @EnumSource
  void aBusyProcessDoesNotStarveAnother(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Engine two = engines.client();
    List<Running<Integer>> greedy = new ArrayList<>();
    long end = System.nanoTime() + Duration.ofMillis(1500).toNanos();
    for (int i = 0; i < 4; i++) {
      greedy.add(
          start(
              () -> {
                int turns = 0;
                while (System.nanoTime() < end) {
                  one.lock("n").acquire().release();
                  turns++;
                }
                return turns;
              }));
    }
    int turns = 0;
    while (System.nanoTime() < end) {
      two.lock("n").acquire(Duration.ofSeconds(5)).release();
      turns++;
    }
    int others = 0;
    for (Running<Integer> each : greedy) {
      others += each.result();
    }
    assertThat(turns).as("turns of the modest process, beside " + others).isGreaterThan(10);
  }

  @ParameterizedTest
  @EnumSource
  void aThreadThatWaitsForItselfIsWarned(LockOptions.Order order) throws Exception {
    Engine one = engines.client();
    LockOptions options = LockOptions.defaults();
    LockOptions chosen = order == LockOptions.Order.FAIR ? options.fair() : options;
    Running<String> confused =
        start(
            () -> {
              try (Lease lease = one.lock("n").with(chosen).acquire()) {
                return one.lock("n").with(chosen).tryAcquire(Duration.ofMillis(500)).isPresent()
                    ? "again"
                    : lease.name();
              }
            });
    assertThat(confused.result()).isEqualTo("n");
    await()
        .untilAsserted(
            () ->
                assertThat(engines.events(LockEvent.LikelySelfDeadlock.class))
                    .singleElement()
                    .extracting(LockEvent.LikelySelfDeadlock::thread)
                    .isEqualTo("caller"));
  }
}
