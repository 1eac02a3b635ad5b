package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static io.leasehold.testkit.engine.Engines.timed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.Traits.Poll;
import io.leasehold.spi.Traits.Signals;
import io.leasehold.spi.Watch;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.engine.Engines.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * R11, R16 and R18: what asks to be woken delays no caller, and is asked again where it was cut.
 */
@Timeout(60)
class WatchTest {
  /** Far longer than any wait here. */
  private static final Duration REQUEST = Duration.ofSeconds(20);

  private static final Duration SOON = Duration.ofSeconds(5);

  @RegisterExtension final Engines engines = new Engines();

  private final CountDownLatch letGo = new CountDownLatch(1);
  private final AtomicInteger watches = new AtomicInteger();

  @AfterEach
  void letGo() {
    letGo.countDown();
  }

  /** As one whose listening connection stalls. */
  private Engine clientWhoseWatchesHang() {
    engines.serve(Calls.BLOCKING);
    return engines.client(
        HookedStore.over(
            engines.server(),
            call -> {
              if (call.is("watch")) {
                watches.incrementAndGet();
                return call.hang(letGo);
              }
              return call.proceed();
            }),
        b -> b.requestTimeout(REQUEST));
  }

  @Test
  void aTimedWaitEndsInTimeThoughItsWatchHangs() throws Exception {
    Engine one = clientWhoseWatchesHang();
    Lease held = engines.client().lock("n").acquire();
    Duration took =
        timed(() -> assertThat(one.lock("n").tryAcquire(Duration.ofMillis(200))).isEmpty());
    assertThat(took).isLessThan(SOON);
    assertThat(watches).hasValue(1);
    held.release();
    letGo.countDown();
  }

  /** It fails because the caller has little time; the store has answered, and has not failed. */
  @Test
  void aTimedWaitIsToldBusyThoughItsWatchTookMostOfItsTime() throws Exception {
    engines.serve(Calls.BLOCKING);
    AtomicBoolean watched = new AtomicBoolean();
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  if (call.is("watch")) {
                    boolean unused =
                        letGo.await(call.within().toNanos() / 20 * 17, TimeUnit.NANOSECONDS);
                    watched.set(true);
                    return call.fail(Failure.UNKNOWN_OUTCOME);
                  }
                  return watched.get() && call.is("attempt") ? call.hang(letGo) : call.proceed();
                }),
            b -> b.requestTimeout(REQUEST));
    Lease held = engines.client().lock("n").acquire();
    assertThat(one.lock("n").tryAcquire(Duration.ofSeconds(1))).isEmpty();
    letGo.countDown();
    held.release();
  }

  @Test
  void anInterruptEndsAWaitAtOnceThoughItsWatchHangs() throws Exception {
    Engine one = clientWhoseWatchesHang();
    Lease held = engines.client().lock("n").acquire();
    Running<String> waiter = start(() -> thrownBy(() -> one.lock("n").acquire()));
    await().until(() -> watches.get() > 0);
    Duration took =
        timed(
            () -> {
              waiter.thread.interrupt();
              return waiter.result();
            });
    assertThat(waiter.result()).isEqualTo("InterruptedException");
    assertThat(took).isLessThan(SOON);
    held.release();
    letGo.countDown();
  }

  /** The poll stands behind it. */
  @Test
  void aWaiterIsServedThoughItsWatchHangs() throws Exception {
    Engine one = clientWhoseWatchesHang();
    Lease held = engines.client().lock("n").acquire();
    Running<Lease> waiter = start(() -> one.lock("n").acquire());
    await().until(() -> watches.get() > 0);
    held.release();
    waiter.result().release();
    letGo.countDown();
  }

  /** The answer to the old watch says nothing about the new connection. */
  @Test
  void aWatchThatAReconnectionOvertookIsAskedForAgain() throws Exception {
    AtomicReference<StoreListener> reports = new AtomicReference<>();
    CompletableFuture<Watch> first = new CompletableFuture<>();
    engines.serve(
        InMemorySettings.defaults()
            .withPoll(new Poll(Duration.ofMinutes(1), Duration.ofMinutes(2), Signals.SENT)));
    StoreFactory factory =
        listener -> {
          reports.set(listener);
          return HookedStore.wrap(
              engines.server().open(listener),
              call -> call.is("watch") && watches.incrementAndGet() == 1 ? first : call.proceed());
        };
    Engine one = engines.client(factory, b -> b);
    Lease held = engines.client().lock("n").acquire();
    Running<Lease> waiter = start(() -> one.lock("n").acquire());
    await().until(() -> watches.get() == 1);
    reports.get().reconnected();
    first.complete(Watch.NOTHING_MISSED);
    await().until(() -> watches.get() == 2);
    waiter.waiting();
    held.release();
    waiter.result().release();
  }

  /** Fair ones come to their places together, others one by one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noWatchIsAskedForByThoseWhomTheirAttemptsWatch(boolean fair) throws Exception {
    engines.serve(
        InMemorySettings.defaults()
            .withFeatures(
                Feature.FENCING, Feature.QUEUE, Feature.NEIGHBOURS, Feature.WATCHED_ATTEMPTS)
            .withPoll(new Poll(Duration.ofMinutes(1), Duration.ofMinutes(2), Signals.SENT))
            .withCalls(Calls.BLOCKING));
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  watches.addAndGet(call.is("watch") ? 1 : 0);
                  return call.proceed();
                }),
            b -> b);
    LockOptions options = fair ? LockOptions.defaults().fair() : LockOptions.defaults();
    Lease held = engines.client().lock("n").acquire();
    List<Running<Lease>> waiters = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiters.add(start(() -> one.lock("n").with(options).acquire()));
      waiters.get(i).waiting();
    }
    await().until(() -> one.snapshot().waiting() == 3);
    assertThat(watches).hasValue(0);

    // It has forgotten them
    engines.server().restart();
    await().until(() -> watches.get() == (fair ? 3 : 1));
    held.release();
    for (Running<Lease> waiter : waiters) {
      waiter.result().release();
    }
    assertThat(watches).hasValue(fair ? 3 : 1);
  }
}
