package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store grants to a waiter by itself, and its message counts. */
@Timeout(60)
class GrantMessageTest {
  private static final LockOptions FAIR = LockOptions.defaults().fair();
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A grant that was not confirmed stands for so long. */
  private static final Duration LIFE = Duration.ofMillis(1500);

  @RegisterExtension final Engines engines = new Engines();

  private FaultyStore.Factory store;
  private Engine client;
  private StoreListener reports;
  private Engine other;
  private Lease held;

  @BeforeEach
  void anotherHoldsIt() throws Exception {
    engines.serve(Engines.GRANTS_BY_MESSAGE);
    store = new FaultyStore.Factory(engines.server());
    client =
        engines.client(
            listener -> {
              reports = listener;
              return store.open(listener);
            },
            builder -> builder);
    other = engines.client();
    held = other.lock("n").acquire();
  }

  private CompletableFuture<Lease> wait(LockOptions options) {
    int before = waiters().size();
    CompletableFuture<Lease> waiter =
        client.lock("n").with(options).acquireAsync(Duration.ofMinutes(1));
    await().atMost(PATIENCE).until(() -> waiters().size() > before);
    return waiter;
  }

  private List<LockSnapshot.Waiter> waiters() {
    return other.lock("n").inspect().map(LockSnapshot::waiters).orElse(List.of());
  }

  private static Lease served(CompletableFuture<Lease> waiter) throws Exception {
    return waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private void tell(LockSnapshot.Waiter waiter, long number, Duration age) {
    LeaseId id = LeaseId.parse(waiter.leaseId());
    reports.granted(id, new Granted(number, LIFE, true), () -> age);
  }

  @Test
  void whoIsToldNeedNotAsk() throws Exception {
    CompletableFuture<Lease> waiter = wait(FAIR);
    int asked = store.count("attempt");
    store.become(FaultyStore.Mood.UNAVAILABLE, "renew");
    held.release();
    Lease lease = served(waiter);
    assertThat(store.count("attempt")).isEqualTo(asked);
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.remaining()).isLessThan(LIFE);
    assertThat(lease.fencingToken()).isGreaterThan(held.fencingToken());
    lease.release();
    assertThat(engines.server().list()).isEmpty();
  }

  @Test
  void whatIsHeldForLongerIsConfirmedInTime() throws Exception {
    CompletableFuture<Lease> waiter = wait(FAIR);
    held.release();
    Lease lease = served(waiter);
    await().atMost(PATIENCE).until(() -> lease.remaining().compareTo(LIFE) > 0);
    assertThat(lease.isHeld()).isTrue();
    assertThat(engines.events(LockEvent.Jeopardy.class)).isEmpty();
    lease.release();
  }

  @Test
  void r17WhatCannotBeConfirmedEndsByItself() throws Exception {
    CompletableFuture<Lease> waiter = wait(FAIR);
    store.become(FaultyStore.Mood.UNAVAILABLE, "renew");
    held.release();
    Lease lease = served(waiter);
    await().atMost(PATIENCE).until(() -> !lease.isHeld());
    assertThat(other.lock("n").acquire(PATIENCE).isHeld()).isTrue();
    engines.mayLeaveSomething();
  }

  @Test
  void r17WhatIsToldTooLateIsNotBelieved() throws Exception {
    CompletableFuture<Lease> waiter = wait(FAIR);
    int asked = store.count("attempt");
    tell(waiters().get(0), 1_000, LIFE);
    await().atMost(PATIENCE).until(() -> store.count("attempt") > asked);
    assertThat(waiter).isNotDone();
    held.release();
    Lease lease = served(waiter);
    assertThat(lease.fencingToken()).isLessThan(1_000 << 10);
    lease.release();
  }

  /** A plain lease of one ttl, not of the time in which it should have been confirmed. */
  @Test
  void r21WhoWantsNoRenewalAsksForAWholeLife() throws Exception {
    CompletableFuture<Lease> waiter = wait(FAIR.withoutRenewal());
    held.release();
    Lease lease = served(waiter);
    assertThat(lease.remaining()).isGreaterThan(LIFE);
    lease.release();
  }

  @Test
  void r1OfTwoThatAreToldInAnyOrderTheNewerStands() throws Exception {
    CompletableFuture<Lease> first = wait(FAIR);
    CompletableFuture<Lease> second = wait(FAIR);
    List<LockSnapshot.Waiter> waiters = waiters();
    tell(waiters.get(1), 1_001, Duration.ZERO);
    tell(waiters.get(0), 1_000, Duration.ZERO);
    assertThat(served(second).isHeld()).isTrue();
    assertThat(served(first).isHeld()).isFalse();
    engines.mayLeaveSomething();
  }
}
