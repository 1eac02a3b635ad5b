package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockClientBuilder;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException.Failure;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.engine.Engines.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * R20: fair callers of one process that come while three of their requests for places are under
 * way.
 */
@Timeout(60)
class ArrivalsTest {
  private static final LockOptions FAIR = LockOptions.defaults().fair();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration REQUEST = Duration.ofSeconds(2);

  /** So many requests for one place each are under way at most. */
  private static final int UNDER_WAY = 3;

  @RegisterExtension final Engines engines = new Engines();

  /** How many tickets each attempt had, and the thread it ran on. */
  private final List<Integer> sizes = new CopyOnWriteArrayList<>();

  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  /** Ends the first requests. */
  private final CountDownLatch letGo = new CountDownLatch(1);

  /** Whether they fail, and never come to the store. */
  private volatile boolean firstFail;

  /** What becomes of the request that comes then; null if nothing does. */
  private volatile Failure fails;

  private final List<Running<Long>> callers = new ArrayList<>();
  private Engine client;
  private Lease held;

  @BeforeEach
  void anotherHoldsIt() throws Exception {
    engines.serve(Engines.GRANTS_BY_MESSAGE.withCalls(Calls.BLOCKING));
    client =
        engines.client(
            HookedStore.over(engines.server(), this::keepTheFirst), ArrivalsTest::patient);
    held = engines.client().lock("n").acquire();
  }

  @AfterEach
  void letGo() {
    letGo.countDown();
  }

  /** The first requests take no longer than that. */
  private static LockClientBuilder patient(LockClientBuilder builder) {
    return builder.requestTimeout(PATIENCE);
  }

  private Object keepTheFirst(HookedStore.Call call) throws Throwable {
    if (!call.is("attempt")) {
      return call.proceed();
    }
    int number;
    synchronized (sizes) {
      sizes.add(call.arguments().get(0) instanceof List<?> tickets ? tickets.size() : 1);
      threads.add(Thread.currentThread());
      number = sizes.size();
    }
    if (number <= UNDER_WAY) {
      letGo.await();
      if (firstFail) {
        return call.fail(Failure.REFUSED);
      }
    } else if (number == UNDER_WAY + 1 && fails != null) {
      Failure failure = fails;
      if (failure == Failure.UNKNOWN_OUTCOME) {
        // Its reply is lost
        Object unheard = call.proceed();
        assertThat(unheard).isNotNull();
      }
      return call.fail(failure);
    }
    return call.proceed();
  }

  /** They take the lock in turn, and yield their tokens. */
  private void come(int count) {
    for (int i = 0; i < count; i++) {
      Running<Long> caller = start(this::takeOnce);
      callers.add(caller);
      awaitRequests(callers.size());
      caller.waiting();
    }
  }

  /** Those of the first callers are under way, before the next one comes. */
  private void awaitRequests(int callers) {
    int sent = Math.min(callers, UNDER_WAY);
    if (sizes.size() < sent) {
      await().atMost(PATIENCE).until(() -> sizes.size() >= sent);
    }
  }

  private long takeOnce() throws Exception {
    Lease lease = client.lock("n").with(FAIR).acquire();
    long token = lease.fencingToken();
    lease.release();
    return token;
  }

  private void awaitPlaces(int number) {
    await().atMost(PATIENCE).until(() -> waiters().size() == number);
  }

  private List<LockSnapshot.Waiter> waiters() {
    return engines.server().list().stream().flatMap(each -> each.waiters().stream()).toList();
  }

  private void allAreServedInTheirOrder() throws Exception {
    if (held.isHeld()) {
      held.release();
    }
    long last = 0;
    for (Running<Long> caller : callers) {
      long token = caller.result();
      assertThat(token).isGreaterThan(last);
      last = token;
    }
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(engines.server().list()).isEmpty());
  }

  @Test
  void r20ThoseThatComeMeanwhileComeToTheirPlacesTogether() throws Exception {
    come(8);
    assertThat(sizes).containsExactly(1, 1, 1);
    letGo.countDown();
    awaitPlaces(8);
    assertThat(sizes).containsExactly(1, 1, 1, 5);
    allAreServedInTheirOrder();
  }

  /** The lock is free when they come: one holds it, the others wait. */
  @Test
  void r1EachOfThemGetsItsOwnAnswer() throws Exception {
    firstFail = true;
    List<Running<String>> refused =
        Stream.generate(() -> start(() -> thrownBy(this::takeOnce))).limit(UNDER_WAY).toList();
    await().atMost(PATIENCE).until(() -> sizes.size() == UNDER_WAY);
    come(4);
    held.release();
    letGo.countDown();
    for (Running<String> each : refused) {
      assertThat(each.result()).isEqualTo("StoreException");
    }
    allAreServedInTheirOrder();
    assertThat(sizes).startsWith(1, 1, 1, 4);
  }

  /** No thread of the engine is needed for it, and none of those that have a place already. */
  @Test
  void r20OneOfThemAsksForAll() throws Exception {
    come(6);
    letGo.countDown();
    awaitPlaces(6);
    assertThat(threads.get(UNDER_WAY))
        .isIn(callers.subList(UNDER_WAY, 6).stream().map(caller -> caller.thread).toList());
    allAreServedInTheirOrder();
  }

  @Test
  void r20NoPlaceIsAskedForThatIsNotWantedAnyMore() throws Exception {
    come(3);
    CompletableFuture<Lease> cancelled =
        client.lock("n").with(FAIR).acquireAsync(Duration.ofMinutes(1));
    come(2);
    Running<String> late =
        start(() -> thrownBy(() -> client.lock("n").with(FAIR).acquire(Duration.ofMillis(50))));
    assertThat(cancelled.cancel(true)).isTrue();
    // The store has not said that the lock is held
    assertThat(late.result()).isEqualTo("StoreException");
    assertThat(sizes).containsExactly(1, 1, 1);
    letGo.countDown();
    awaitPlaces(5);
    assertThat(sizes).containsExactly(1, 1, 1, 2);
    allAreServedInTheirOrder();
  }

  /** It was to ask for the others, too. */
  @Test
  void r20OneThatIsInterruptedBeforeItAskedHoldsUpNoOther() throws Exception {
    come(4);
    Running<String> last =
        start(() -> thrownBy(() -> client.lock("n").with(FAIR).acquire(Duration.ofMinutes(1))));
    last.waiting();
    last.thread.interrupt();
    letGo.countDown();
    assertThat(last.result()).isEqualTo("InterruptedException");
    awaitPlaces(4);
    allAreServedInTheirOrder();
  }

  @Test
  void r12ALostReplyIsAskedForAgainByEachOfThem() throws Exception {
    fails = Failure.UNKNOWN_OUTCOME;
    come(7);
    letGo.countDown();
    awaitPlaces(7);
    await().atMost(PATIENCE).until(() -> sizes.size() == 4 + 4);
    assertThat(sizes).startsWith(1, 1, 1, 4);
    assertThat(engines.events(LockEvent.UnknownOutcome.class)).hasSize(4);
    allAreServedInTheirOrder();
  }

  @Test
  void r12ARefusalIsOneOfAllOfThem() throws Exception {
    fails = Failure.REFUSED;
    come(3);
    List<Running<String>> refused = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      refused.add(start(() -> thrownBy(this::takeOnce)));
      refused.get(i).waiting();
    }
    letGo.countDown();
    for (Running<String> each : refused) {
      assertThat(each.result()).isEqualTo("StoreException");
    }
    awaitPlaces(3);
    allAreServedInTheirOrder();
  }

  /** A request that is never answered takes all the time that those behind it have for theirs. */
  @Test
  void r12ThoseBehindASilentStoreFailInTheTimeOfOneRequest() throws Exception {
    long begin = System.nanoTime();
    List<Running<String>> failed = new ArrayList<>();
    Engine silent =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  if (call.is("attempt")) {
                    sizes.add(1);
                    return call.hang(letGo);
                  }
                  return call.proceed();
                }),
            b -> b.requestTimeout(REQUEST));
    for (int i = 0; i < 6; i++) {
      failed.add(start(() -> thrownBy(() -> silent.lock("n").with(FAIR).acquire())));
      awaitRequests(i + 1);
    }
    for (Running<String> each : failed) {
      assertThat(each.result()).isEqualTo("StoreException");
    }
    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    assertThat(took).isLessThan(2 * REQUEST.toMillis());
    held.release();
  }

  @Test
  void r14CloseEndsThoseThatAreNotAskedForYet() throws Exception {
    List<Running<String>> ended = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ended.add(start(() -> thrownBy(this::takeOnce)));
      awaitRequests(i + 1);
      ended.get(i).waiting();
    }
    Running<Boolean> closing =
        start(
            () -> {
              client.close();
              return true;
            });
    await()
        .atMost(PATIENCE)
        .until(() -> ended.subList(UNDER_WAY, 5).stream().allMatch(Running::isDone));
    letGo.countDown();
    assertThat(closing.result()).isTrue();
    for (Running<String> each : ended) {
      assertThat(each.result()).isEqualTo("ClientClosedException");
    }
    assertThat(sizes).containsExactly(1, 1, 1);
    held.release();
  }

  /** Where no thread waits, one of the engine's asks for all. */
  @Test
  void r20FuturesComeToTheirPlacesTogether() throws Exception {
    List<CompletableFuture<Long>> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      all.add(
          client
              .lock("n")
              .with(FAIR)
              .acquireAsync(Duration.ofMinutes(1))
              .thenApply(
                  lease -> {
                    long token = lease.fencingToken();
                    lease.release();
                    return token;
                  }));
      awaitRequests(i + 1);
    }
    letGo.countDown();
    awaitPlaces(7);
    assertThat(sizes).containsExactly(1, 1, 1, 4);
    held.release();
    long last = 0;
    for (CompletableFuture<Long> each : all) {
      long token = each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(token).isGreaterThan(last);
      last = token;
    }
  }

  /** A crowd is asked for by 64 at a time. */
  @Test
  void r20ACrowdComesInSeveralRequests() throws Exception {
    List<CompletableFuture<Lease>> crowd = new ArrayList<>();
    for (int i = 0; i < 133; i++) {
      crowd.add(client.lock("n").with(FAIR).acquireAsync(Duration.ofMinutes(1)));
      awaitRequests(i + 1);
    }
    letGo.countDown();
    awaitPlaces(133);
    assertThat(sizes).containsExactlyInAnyOrder(1, 1, 1, 64, 64, 2);
    crowd.forEach(each -> each.cancel(true));
    held.release();
  }

  /** A store that serves each by itself is asked for each by itself. */
  @Test
  void whereNeighboursAreServedApartEachAsksForItself() throws Exception {
    held.release();
    engines.serve(
        Engines.GRANTS_BY_MESSAGE
            .withFeatures(Feature.FENCING, Feature.QUEUE, Feature.TOMBSTONES)
            .withCalls(Calls.BLOCKING));
    InMemoryServer apart = engines.server();
    client = engines.client(HookedStore.over(apart, this::keepTheFirst), ArrivalsTest::patient);
    held = engines.client().lock("n").acquire();
    for (int i = 0; i < 5; i++) {
      int sent = i + 1;
      callers.add(start(this::takeOnce));
      await().atMost(PATIENCE).until(() -> sizes.size() >= sent);
    }
    assertThat(sizes).containsOnly(1);
    letGo.countDown();
    held.release();
    for (Running<Long> caller : callers) {
      assertThat(caller.result()).isPositive();
    }
  }
}
