package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import io.leasehold.MultiLease;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R16, R17: code of the user, however slow, delays nothing but what waits for that very code. */
@Timeout(90)
class CallbacksTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  @RegisterExtension final Engines engines = new Engines();

  /** Code of the user that blocks until the test lets it go. */
  private static final class Blocked implements AutoCloseable {
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger entered = new AtomicInteger();

    void enter() {
      entered.incrementAndGet();
      try {
        go.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void awaitEntered(int many) {
      await().atMost(SOON).until(() -> entered.get() >= many);
    }

    @Override
    public void close() {
      go.countDown();
    }
  }

  /** Loses a lease now: an operator breaks it, and its holder looks. */
  private void lose(Lease lease) {
    assertThat(engines.server().breakLease(lease.name(), FenceNumber.number(lease.fencingToken())))
        .isTrue();
    // A moment less than a fresh renewal yields, which is more than remains
    long life = Engines.LONG_TTL.toNanos();
    Duration whole = Duration.ofNanos(life - life / 100 - 2_000_001);
    assertThatThrownBy(() -> lease.ensureHeld(whole)).isInstanceOf(LeaseLostException.class);
  }

  @ParameterizedTest
  @EnumSource
  void completionsThatBlockDelayNoLossNoEventNoDeadlineAndNoneOfSeveral(Calls calls)
      throws Exception {
    engines.serve(calls);
    Engine one = engines.client(b -> b.ttl(Duration.ofMillis(900)));
    Engine two = engines.client();
    Lease busy = two.lock("busy").acquire();
    List<Lease> gate = new ArrayList<>();
    List<CompletableFuture<Void>> completions = new ArrayList<>();
    try (Blocked blocked = new Blocked()) {
      for (int i = 0; i < 8; i++) {
        gate.add(two.lock("gate " + i).acquire());
        completions.add(
            one.lock("gate " + i)
                .acquireAsync(Duration.ofMinutes(1))
                .thenAccept(
                    lease -> {
                      blocked.enter();
                      lease.release();
                    })
                .toCompletableFuture());
      }
      gate.forEach(Lease::release);
      blocked.awaitEntered(4);
      CountDownLatch told = new CountDownLatch(1);
      Lease lease = one.lock("lost").acquire();
      lease.onLost(told::countDown);
      assertThat(engines.server().breakLease("lost", FenceNumber.number(lease.fencingToken())))
          .isTrue();
      assertThat(told.await(5, TimeUnit.SECONDS)).as("told of the loss").isTrue();
      await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(engines.events(LockEvent.Lost.class)).hasSize(1));
      assertThatThrownBy(
              () -> one.lock("busy").acquireAsync(Duration.ofMillis(100)).get(5, TimeUnit.SECONDS))
          .hasCauseInstanceOf(LockException.class);
      Running<String> several =
          start(
              () -> Engines.thrownBy(() -> one.allOf("a", "busy").acquire(Duration.ofMillis(100))));
      await().atMost(SOON).until(several::isDone);
      // The latter on a machine that is too slow to hear of the holder in that time
      assertThat(several.result()).isIn("LockTimeoutException", "StoreException");
      Running<MultiLease> free = start(() -> one.allOf("a", "b").acquire());
      await().atMost(SOON).until(free::isDone);
      free.result().release();
    }
    for (CompletableFuture<Void> completion : completions) {
      completion.get(5, TimeUnit.SECONDS);
    }
    busy.release();
  }

  @Test
  void aListenerThatBlocksDelaysNoLossAndNoOtherListener() throws Exception {
    try (Blocked blocked = new Blocked()) {
      Engine one = engines.client(b -> b.listener(event -> blocked.enter()));
      one.addListener(event -> blocked.enter());
      one.addListener(event -> blocked.enter());
      one.addListener(event -> blocked.enter());
      Lease lease = one.lock("n").acquire();
      blocked.awaitEntered(1);
      CountDownLatch told = new CountDownLatch(1);
      lease.onLost(told::countDown);
      lose(lease);
      assertThat(told.await(5, TimeUnit.SECONDS)).as("told of the loss").isTrue();
      await()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(engines.events(LockEvent.Lost.class)).hasSize(1));
    }
  }

  @Test
  void callbacksThatBlockDelayNoOtherLease() throws Exception {
    Engine one = engines.client();
    try (Blocked blocked = new Blocked()) {
      for (int i = 0; i < 10; i++) {
        Lease lease = one.lock("n" + i).acquire();
        lease.onLost(blocked::enter);
        lose(lease);
      }
      blocked.awaitEntered(10);
      CountDownLatch told = new CountDownLatch(1);
      Lease lease = one.lock("last").acquire();
      lease.onLost(told::countDown);
      lose(lease);
      assertThat(told.await(5, TimeUnit.SECONDS)).as("told of the loss").isTrue();
    }
  }

  // ---- release and its callbacks

  @Test
  void aReleaseWaitsForTheCallbackThatRuns() throws Exception {
    Engine one = engines.client();
    Lease lease = one.lock("n").acquire();
    Running<String> release;
    try (Blocked blocked = new Blocked()) {
      lease.onLost(blocked::enter);
      lose(lease);
      blocked.awaitEntered(1);
      release = start(() -> Engines.thrownBy(() -> release(lease)));
      release.waiting();
      assertThat(release.isDone()).isFalse();
    }
    assertThat(release.result()).isEqualTo("LeaseLostException");
  }

  @Test
  void aReleaseWaitsForItsCallbacksInBoundedTime() throws Exception {
    Engine one = engines.client(b -> b.requestTimeout(Duration.ofMillis(100)));
    Lease lease = one.lock("n").acquire();
    try (Blocked blocked = new Blocked()) {
      lease.onLost(blocked::enter);
      lose(lease);
      blocked.awaitEntered(1);
      Running<String> release = start(() -> Engines.thrownBy(() -> release(lease)));
      assertThat(release.result()).isEqualTo("LeaseLostException");
    }
  }

  @Test
  void aCallbackMayReleaseItsOwnLease() throws Exception {
    Engine one = engines.client(b -> b.requestTimeout(Duration.ofMinutes(2)));
    Lease lease = one.lock("n").acquire();
    CompletableFuture<String> ended = new CompletableFuture<>();
    lease.onLost(() -> ended.complete(Engines.thrownBy(() -> release(lease))));
    lose(lease);
    assertThat(ended.get(10, TimeUnit.SECONDS)).isEqualTo("LeaseLostException");
  }

  /** It was due, but all threads for such were busy. */
  @Test
  void aCallbackThatIsDueDoesNotBeginAfterTheRelease() throws Exception {
    Engine one = engines.client();
    AtomicInteger told = new AtomicInteger();
    try (Blocked blocked = new Blocked()) {
      for (int i = 0; i < Threads.MOST_CALLBACKS; i++) {
        Lease lease = one.lock("n" + i).acquire();
        lease.onLost(blocked::enter);
        lose(lease);
      }
      blocked.awaitEntered(Threads.MOST_CALLBACKS);
      Lease lease = one.lock("last").acquire();
      lease.onLost(told::incrementAndGet);
      lose(lease);
      assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }
    // Which lets all that is due come to its end
    one.close();
    assertThat(told).hasValue(0);
  }

  private static String release(Lease lease) {
    lease.release();
    return "";
  }

  // ---- threads

  /** Not under the mutex of the lease, where touching it would fail. */
  @Test
  void aListenerMayTouchTheLeaseOfAClosedClient() throws Exception {
    engines.serve(Calls.BLOCKING);
    engines.mayLeaveSomething();
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    ConcurrentLinkedQueue<String> touched = new ConcurrentLinkedQueue<>();
    CompletableFuture<Lease> held = new CompletableFuture<>();
    Engine one =
        engines.client(
            factory,
            b ->
                b.closeTimeout(Duration.ofMillis(500))
                    .requestTimeout(Duration.ofSeconds(1))
                    .listener(
                        event -> {
                          if (event instanceof LockEvent.UnknownOutcome) {
                            touched.add(
                                Engines.thrownBy(
                                    () -> {
                                      held.join().onLost(() -> {});
                                      return "";
                                    }));
                          }
                        }));
    held.complete(one.lock("n").acquire());
    factory.become(Mood.SILENT, "release");
    one.close();
    await().atMost(SOON).until(() -> !touched.isEmpty());
    assertThat(touched).containsOnly("");
    factory.become(Mood.NORMAL);
  }

  @ParameterizedTest
  @EnumSource
  void threadsInheritNothingOfTheFirstCaller(Calls calls) throws Exception {
    engines.serve(calls);
    InheritableThreadLocal<String> request = new InheritableThreadLocal<>();
    CompletableFuture<String> inCompletion = new CompletableFuture<>();
    try (URLClassLoader application = new URLClassLoader(new URL[0], null)) {
      Running<Lease> first =
          start(
              () -> {
                request.set("of request 1");
                Thread.currentThread().setContextClassLoader(application);
                Engine one = engines.client(b -> b.ttl(Duration.ofMillis(300)));
                one.lock("other").acquireAsync(Duration.ofSeconds(5)).thenAccept(Lease::release);
                Lease lease = one.lock("n").acquire();
                one.lock("n")
                    .acquireAsync(Duration.ofMillis(100))
                    .whenComplete(
                        (granted, failed) -> inCompletion.complete(String.valueOf(request.get())));
                return lease;
              });
      Lease lease = first.result();
      assertThat(inCompletion.get(5, TimeUnit.SECONDS)).isEqualTo("null");
      await().atMost(SOON).until(() -> !engines.events(LockEvent.Renewed.class).isEmpty());
      assertThat(Thread.getAllStackTraces().keySet())
          .filteredOn(thread -> thread.getName().startsWith("leasehold-"))
          .isNotEmpty()
          .noneMatch(thread -> application.equals(thread.getContextClassLoader()));
      lease.release();
    }
  }
}
