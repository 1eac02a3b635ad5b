package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Fair callers of one process whose requests overtake each other on the way to the store. */
@Timeout(60)
class RunTest {
  private static final LockOptions FAIR = LockOptions.defaults().fair();
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension final Engines engines = new Engines();

  private final AtomicInteger attempts = new AtomicInteger();
  private final CompletableFuture<Void> first = new CompletableFuture<>();
  private Engine client;
  private Engine other;
  private Lease held;

  @BeforeEach
  void anotherHoldsIt() throws Exception {
    engines.serve(Engines.GRANTS_BY_MESSAGE);
    client =
        engines.client(
            listener -> {
              LockStore store = engines.server().open(listener);
              return HookedStore.wrap(store, this::holdFirst);
            },
            builder -> builder);
    other = engines.client();
    held = other.lock("n").acquire();
  }

  private Object holdFirst(HookedStore.Call call) throws Throwable {
    if (call.is("attempt") && attempts.incrementAndGet() == 1) {
      return first.thenCompose(nothing -> attempt(call));
    }
    return call.proceed();
  }

  private static CompletionStage<Attempt> attempt(HookedStore.Call call) {
    return call.store().attempt((Ticket) call.arguments().get(0), call.within());
  }

  private CompletableFuture<Lease> start(Engine client) {
    return client.lock("n").with(FAIR).acquireAsync(Duration.ofMinutes(1));
  }

  private void awaitPlaces(int number) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                other.lock("n").inspect().map(LockSnapshot::waiters).orElse(List.of()).size()
                    == number);
  }

  private static Lease served(CompletableFuture<Lease> waiter) throws Exception {
    return waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Its request is held on the way, and the second has a place before it. */
  private CompletableFuture<Lease> late() {
    CompletableFuture<Lease> late = start(client);
    await().atMost(PATIENCE).until(() -> attempts.get() == 1);
    return late;
  }

  @Test
  void r20NeighboursAreServedInTheOrderOfTheirCalls() throws Exception {
    CompletableFuture<Lease> one = late();
    CompletableFuture<Lease> two = start(client);
    CompletableFuture<Lease> three = start(client);
    awaitPlaces(2);
    first.complete(null);
    awaitPlaces(3);
    held.release();
    Lease earliest = served(one);
    assertThat(two).isNotDone();
    assertThat(three).isNotDone();
    earliest.release();
    Lease next = served(two);
    assertThat(three).isNotDone();
    next.release();
    Lease last = served(three);
    assertThat(next.fencingToken()).isBetween(earliest.fencingToken(), last.fencingToken());
    last.release();
    assertThat(engines.server().list()).isEmpty();
  }

  @Test
  void r20AnotherProcessInBetweenIsNotOvertaken() throws Exception {
    CompletableFuture<Lease> one = late();
    CompletableFuture<Lease> two = start(client);
    awaitPlaces(1);
    CompletableFuture<Lease> foreign = start(other);
    awaitPlaces(2);
    first.complete(null);
    awaitPlaces(3);
    held.release();
    served(two).release();
    Lease theirs = served(foreign);
    assertThat(one).isNotDone();
    theirs.release();
    served(one).release();
    assertThat(engines.server().list()).isEmpty();
  }

  /** The places are those of the callers that are left. */
  @Test
  void r20OneThatGivesUpAfterTheyWereSharedOutIsSkipped() throws Exception {
    CompletableFuture<Lease> one = late();
    CompletableFuture<Lease> two = start(client);
    awaitPlaces(1);
    first.complete(null);
    awaitPlaces(2);
    CompletableFuture<Lease> three = start(client);
    awaitPlaces(3);
    held.release();
    Lease earliest = served(one);
    assertThat(two.cancel(true)).isTrue();
    assertThat(three).isNotDone();
    earliest.release();
    served(three).release();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(engines.server().list()).isEmpty());
  }
}
