package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClientBuilder;
import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.Quorum;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.testkit.DeafListener;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.InMemoryStore;
import io.leasehold.testkit.contract.Faults.Delayed;
import io.leasehold.testkit.contract.Faults.Loss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A majority of members in memory, each of which fails in its own way. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class QuorumTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<InMemoryServer> servers =
      new ArrayList<>(Stream.generate(InMemoryServer::new).limit(3).toList());
  private final List<Engine> clients = new ArrayList<>();

  /** A client, and its way to each member. */
  private record Party(Engine client, List<FaultyStore> ways) {}

  private Party party() {
    return party(how -> how);
  }

  /** With a ttl of ten minutes, so that no ttl heals anything. */
  private Party party(UnaryOperator<LockClientBuilder> how) {
    List<FaultyStore> ways = servers.stream().map(FaultyStore::new).toList();
    return new Party(client(how, ways.toArray(StoreFactory[]::new)), ways);
  }

  private Engine client(UnaryOperator<LockClientBuilder> how, StoreFactory... members) {
    LockClientBuilder builder =
        Leasehold.builder(Quorum.of(members))
            .acceptUnfenced()
            .ttl(Duration.ofMinutes(10))
            .closeTimeout(Duration.ofSeconds(1));
    Engine client = (Engine) how.apply(builder).build();
    clients.add(client);
    return client;
  }

  @AfterEach
  void close() {
    clients.forEach(Engine::close);
  }

  private static ConditionFactory await() {
    return Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE);
  }

  private void requireNothingLeft() {
    await()
        .untilAsserted(
            () -> {
              for (Engine client : clients) {
                assertThat(client.ledger().isZero()).as("%s", client.ledger()).isTrue();
              }
              for (InMemoryServer server : servers) {
                assertThat(server.list()).isEmpty();
              }
            });
  }

  private static void cycle(Engine client) throws InterruptedException {
    client.lock("a").acquire(PATIENCE).release();
  }

  private static Ticket foreign(long sequence) {
    return new Ticket(
        "a",
        new LeaseId(4711, sequence),
        LockMode.EXCLUSIVE,
        1,
        1,
        Duration.ofMinutes(10),
        Ticket.Intent.TRY,
        false,
        "somebody");
  }

  /** Takes the name with one member only. */
  private InMemoryStore occupy(int member) {
    InMemoryStore store = servers.get(member).connect(new DeafListener());
    Attempt answer = store.attempt(foreign(member), PATIENCE).toCompletableFuture().join();
    assertThat(answer).isInstanceOf(Attempt.Granted.class);
    return store;
  }

  // ---- members that are down

  @Test
  void aMinorityThatIsDownDoesNotMatter() throws Exception {
    Party one = party();
    Party two = party();
    one.ways.get(2).cut();
    two.ways.get(0).cut();
    Lease held = one.client.lock("a").acquire(PATIENCE);
    assertThat(two.client.lock("a").tryAcquire()).isEmpty();
    CompletableFuture<Lease> waiter = two.client.lock("a").acquireAsync(PATIENCE);
    held.release();
    waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
    one.ways.get(2).heal();
    two.ways.get(0).heal();
    requireNothingLeft();
  }

  @Test
  void r12AMajorityThatIsDownIsUnavailableAndLeavesNothing() throws Exception {
    Party one = party();
    one.ways.get(0).cut();
    one.ways.get(2).cut();
    assertThatThrownBy(() -> one.client.lock("a").acquire(PATIENCE))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
        .hasMessageContainingAll("no majority: 2 of 3 members failed", "member 1", "member 3");
    assertThat(servers.get(1).list()).isEmpty();
    cycle(party().client);
    requireNothingLeft();
  }

  @Test
  void r12AMajorityThatIsSilentIsAnUnknownOutcomeAndNeverAGrant() throws Exception {
    Party one = party(how -> how.requestTimeout(Duration.ofMillis(500)));
    one.ways.get(0).silence();
    one.ways.get(1).silence();
    assertThatThrownBy(() -> one.client.lock("a").acquire(PATIENCE))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNKNOWN_OUTCOME));
    one.ways.get(0).heal();
    one.ways.get(1).heal();
    cycle(party().client);
    requireNothingLeft();
  }

  @Test
  void r12AWaiterOutlastsAnOutageOfTheMajority() throws Exception {
    Party one = party();
    Party two = party();
    Lease held = one.client.lock("a").acquire(PATIENCE);
    CompletableFuture<Lease> waiter = two.client.lock("a").acquireAsync(PATIENCE);
    await().until(() -> servers.get(2).list().get(0).waiters().size() == 1);
    two.ways.get(0).cut();
    two.ways.get(1).cut();
    held.release();
    await().pollDelay(Duration.ofMillis(300)).until(() -> !waiter.isDone());
    two.ways.get(0).heal();
    two.ways.get(1).heal();
    waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
    requireNothingLeft();
  }

  /** A request timeout of minutes would show. */
  @Test
  void aSilentMemberDelaysNobody() throws Exception {
    Party one = party(how -> how.requestTimeout(PATIENCE.multipliedBy(3)));
    Party two = party(how -> how.requestTimeout(PATIENCE.multipliedBy(3)));
    one.ways.get(1).silence();
    two.ways.get(1).silence();
    for (int i = 0; i < 20; i++) {
      Lease held = one.client.lock("a").acquire(PATIENCE);
      CompletableFuture<Lease> waiter = two.client.lock("a").acquireAsync(PATIENCE);
      assertThat(two.client.lock("a").tryAcquire()).isEmpty();
      held.release();
      waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
    }
    one.ways.get(1).heal();
    two.ways.get(1).heal();
    requireNothingLeft();
  }

  @Test
  void aMemberThatNeverReturnsCostsItsOwnThreadsOnly() throws Exception {
    CountDownLatch letGo = new CountDownLatch(1);
    AtomicInteger hanging = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    InMemorySettings blocking = InMemorySettings.defaults().withCalls(Traits.Calls.BLOCKING);
    servers.set(0, new InMemoryServer(blocking));
    servers.set(1, new InMemoryServer(blocking));
    servers.set(2, new InMemoryServer(blocking));
    StoreFactory stuck =
        HookedStore.over(
            servers.get(2),
            call -> {
              if (call.is("traits") || call.is("close") || call.is("operator")) {
                return call.proceed();
              }
              most.accumulateAndGet(hanging.incrementAndGet(), Math::max);
              letGo.await();
              hanging.decrementAndGet();
              return call.fail(Failure.UNAVAILABLE);
            });
    Engine client = client(how -> how, servers.get(0), servers.get(1), stuck);
    for (int i = 0; i < 300; i++) {
      cycle(client);
    }
    // Callers, withdrawals, polls, renewals
    assertThat(most.get()).isBetween(1, 64 + 16 + 2 + 8);
    letGo.countDown();
  }

  // ---- answers

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void r9WhicheverRequestToAMemberIsLostNothingIsLeft(int member) throws Exception {
    for (Loss loss : Loss.values()) {
      int lost = 0;
      for (int index = 0; ; index++) {
        Party one = party();
        Party two = party();
        one.ways.get(member).lose(index, loss);
        Lease held = one.client.lock("a").acquire(PATIENCE);
        CompletableFuture<Lease> waiter = two.client.lock("a").acquireAsync(PATIENCE);
        two.ways.get(member).lose(index, loss);
        held.release();
        waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
        requireNothingLeft();
        boolean all = !one.ways.get(member).wasUsed() && !two.ways.get(member).wasUsed();
        clients.forEach(Engine::close);
        clients.clear();
        if (all) {
          break;
        }
        lost++;
      }
      assertThat(lost).as("requests that were lost").isGreaterThanOrEqualTo(2);
    }
  }

  /** Its release proves that the attempt has landed, though the answer is still under way. */
  @Test
  void theSlowestMemberIsAskedNoMoreThanOthers() throws Exception {
    List<CompletableFuture<Void>> slow = new CopyOnWriteArrayList<>();
    AtomicInteger withdrawn = new AtomicInteger();
    StoreFactory third =
        HookedStore.over(
            servers.get(2),
            call -> {
              withdrawn.addAndGet(call.is("withdraw") ? 1 : 0);
              return call.is("attempt") ? after(slow, call) : call.proceed();
            });
    Engine client = client(how -> how, servers.get(0), servers.get(1), third);
    for (int i = 0; i < 20; i++) {
      Lease held = client.lock("a").acquire(PATIENCE);
      await().until(() -> servers.get(2).list().size() == 1);
      held.release();
      await().until(() -> servers.get(2).list().isEmpty());
      slow.get(i).complete(null);
    }
    requireNothingLeft();
    assertThat(withdrawn).hasValue(0);
  }

  /** What a call is answered, once that which it adds to these is complete. */
  private static CompletionStage<?> after(List<CompletableFuture<Void>> all, HookedStore.Call call)
      throws Throwable {
    CompletableFuture<Void> due = new CompletableFuture<>();
    all.add(due);
    CompletionStage<?> answer = (CompletionStage<?>) call.proceed();
    return due.thenCompose(unused -> answer);
  }

  /** The third never granted it: that it does not have it says nothing. */
  @Test
  void aReleaseIsKnownThoughOneMemberDoesNotAnswerAndAnotherHasNotGranted() throws Exception {
    Party one = party();
    Delayed late = one.ways.get(2).delay(0);
    Lease held = one.client.lock("a").acquire(PATIENCE);
    one.ways.get(1).lose(one.ways.get(1).requests(), Loss.REPLY);
    held.release();
    assertThat(one.ways.get(1).wasUsed()).isTrue();
    late.land();
    requireNothingLeft();
  }

  @Test
  void r9AnAttemptThatReachesAMemberAfterItsReleaseLeavesNothing() throws Exception {
    Party one = party();
    Delayed late = one.ways.get(2).delay(0);
    Lease held = one.client.lock("a").acquire(PATIENCE);
    held.release();
    late.land();
    requireNothingLeft();
  }

  /** Where a release is not remembered: the member's answer to it says nothing of that attempt. */
  @Test
  void r9AnAttemptOfAnEarlierVoteThatLandsAfterTheReleaseLeavesNothing() throws Exception {
    servers.replaceAll(
        server ->
            new InMemoryServer(
                InMemorySettings.defaults().withFeatures(Feature.FENCING, Feature.QUEUE)));
    Party one = party();
    InMemoryStore first = occupy(0);
    InMemoryStore second = occupy(1);
    Delayed late = one.ways.get(2).delay(0);
    CompletableFuture<Lease> waiter = one.client.lock("a").acquireAsync(PATIENCE);
    await().until(() -> waits(0) && waits(1));
    first.release(foreign(0), PATIENCE);
    second.release(foreign(1), PATIENCE);
    Lease held = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    await().until(() -> !servers.get(2).list().isEmpty());
    held.release();
    late.land();
    await().untilAsserted(() -> assertThat(servers.get(2).list()).isEmpty());
  }

  /** What was released is the grant that the member's queue made: the attempt was still to land. */
  @Test
  void r9AnAttemptThatLandsAfterTheReleaseOfADirectGrantLeavesNothing() throws Exception {
    servers.replaceAll(
        server ->
            new InMemoryServer(
                InMemorySettings.defaults()
                    .withFeatures(Feature.FENCING, Feature.QUEUE, Feature.DIRECT_GRANT)));
    AtomicInteger attempts = new AtomicInteger();
    CompletableFuture<Void> landing = new CompletableFuture<>();
    StoreFactory third =
        HookedStore.over(
            servers.get(2),
            call -> {
              boolean lands = !call.is("attempt") || attempts.incrementAndGet() == 1;
              return lands ? call.proceed() : landing.thenCompose(unused -> proceed(call));
            });
    Engine client = client(how -> how, servers.get(0), servers.get(1), third);
    List<InMemoryStore> others = List.of(occupy(0), occupy(1), occupy(2));
    CompletableFuture<Lease> waiter = client.lock("a").acquireAsync(PATIENCE);
    await().until(() -> waits(0) && waits(1) && waits(2));
    for (int i = 0; i < 3; i++) {
      others.get(i).release(foreign(i), PATIENCE);
    }
    Lease held = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(attempts).hasValueGreaterThan(1);
    held.release();
    await().until(() -> servers.get(2).list().isEmpty());
    landing.complete(null);
    requireNothingLeft();
  }

  private static CompletionStage<?> proceed(HookedStore.Call call) {
    try {
      return (CompletionStage<?>) call.proceed();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Test
  void r9AnAnswerThatComesAfterTheReleaseLeavesNothing() throws Exception {
    Party one = party();
    Delayed late = one.ways.get(2).delayLoss(0);
    Lease held = one.client.lock("a").acquire(PATIENCE);
    await().until(() -> servers.get(2).list().size() == 1);
    held.release();
    late.land();
    requireNothingLeft();
  }

  @Test
  void r9AWithdrawalIsFinalWithAMajorityAndGoesOnWithTheRest() throws Exception {
    Party one = party();
    Party two = party();
    Lease held = one.client.lock("a").acquire(PATIENCE);
    two.ways.get(0).loseReplies();
    assertThat(two.client.lock("a").tryAcquire(Duration.ofMillis(300))).isEmpty();
    await().until(() -> two.client.ledger().isZero());
    two.ways.get(0).heal();
    held.release();
    requireNothingLeft();
  }

  /** The member that says it twice is alone with it. */
  @Test
  void r6AMemberThatAnswersTwiceVotesOnce() throws Exception {
    StoreFactory twice =
        HookedStore.over(
            servers.get(0),
            call -> {
              if (!call.is("renew")) {
                return call.proceed();
              }
              call.proceed();
              return call.proceed();
            });
    Engine client =
        client(how -> how.ttl(Duration.ofSeconds(6)), twice, servers.get(1), servers.get(2));
    Lease held = client.lock("a").acquire(PATIENCE);
    CompletableFuture<Void> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(null));
    servers.get(1).restartEmpty();
    servers.get(2).restartEmpty();
    long begin = System.nanoTime();
    lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .as("at a renewal, not at its end")
        .isLessThan(Duration.ofMillis(5500));
  }

  // ---- votes

  /** The later attempt counts on what the earlier one would withdraw. */
  @Test
  void r1TheLateGrantOfALostVoteDoesNotEndTheLeaseOfALaterOne() throws Exception {
    List<CompletableFuture<Void>> first = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Void>> third = new CopyOnWriteArrayList<>();
    InMemoryStore busy = occupy(1);
    InMemoryStore occupied = occupy(2);
    LockStore store =
        Quorum.of(
                HookedStore.over(
                    servers.get(0),
                    call -> call.is("attempt") ? after(first, call) : call.proceed()),
                servers.get(1),
                HookedStore.over(
                    servers.get(2),
                    call -> call.is("attempt") ? after(third, call) : call.proceed()))
            .open(new DeafListener());
    Ticket ticket = foreign(77);
    CompletableFuture<Attempt> lost = store.attempt(ticket, PATIENCE).toCompletableFuture();
    third.get(0).complete(null);
    assertThat(lost).succeedsWithin(PATIENCE).isInstanceOf(Attempt.Busy.class);
    occupied.release(foreign(2), PATIENCE);
    CompletableFuture<Attempt> later = store.attempt(ticket, PATIENCE).toCompletableFuture();
    await().until(() -> first.size() == 2 && third.size() == 2);
    first.get(1).complete(null);
    first.get(0).complete(null);
    third.get(1).complete(null);
    assertThat(later).succeedsWithin(PATIENCE).isInstanceOf(Attempt.Granted.class);
    assertThat(servers.get(0).list()).hasSize(1);
    assertThat(servers.get(2).list()).hasSize(1);
    store.close();
    busy.close();
  }

  @Test
  void r2ATryThatGetsOneVoteOfThreeLeavesNothingThere() throws Exception {
    Party one = party();
    InMemoryStore first = occupy(0);
    InMemoryStore second = occupy(1);
    assertThat(one.client.lock("a").tryAcquire()).isEmpty();
    await().until(() -> servers.get(2).list().isEmpty());
    first.release(foreign(0), PATIENCE);
    assertThat(one.client.lock("a").tryAcquire()).isPresent().get().satisfies(Lease::release);
    second.release(foreign(1), PATIENCE);
    requireNothingLeft();
  }

  /** It must start again under another id: the one that was withdrawn is used up. */
  @Test
  void aWaiterThatLostAVoteIsServedLater() throws Exception {
    Party one = party();
    InMemoryStore first = occupy(0);
    InMemoryStore second = occupy(1);
    CompletableFuture<Lease> waiter = one.client.lock("a").acquireAsync(PATIENCE);
    await().until(() -> waits(0) && waits(1));
    first.release(foreign(0), PATIENCE);
    second.release(foreign(1), PATIENCE);
    waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
    requireNothingLeft();
  }

  private boolean waits(int member) {
    List<LockSnapshot> seen = servers.get(member).list();
    return !seen.isEmpty() && !seen.get(0).waiters().isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void r1ClientsThatShareTheVotesAreAllServedAndAlone(int members) throws Exception {
    while (servers.size() < members) {
      servers.add(new InMemoryServer());
    }
    AtomicInteger inside = new AtomicInteger();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Engine client = party().client;
      all.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; n < 25; n++) {
                  try (Lease held = client.lock("a").acquire(PATIENCE)) {
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    assertThat(held.isHeld()).isTrue();
                    inside.decrementAndGet();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }
              },
              task -> new Thread(task).start()));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .get(4 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
    requireNothingLeft();
  }

  /** A reader needs a majority, and so does a writer. */
  @Test
  void r1ReadersExcludeAWriter() throws Exception {
    Party one = party();
    Party two = party();
    one.ways.get(0).cut();
    two.ways.get(1).cut();
    Lease reader = one.client.readWriteLock("a").readLock().acquire(PATIENCE);
    Lease another = two.client.readWriteLock("a").readLock().acquire(PATIENCE);
    assertThat(two.client.readWriteLock("a").writeLock().tryAcquire()).isEmpty();
    reader.release();
    another.release();
    one.ways.get(0).heal();
    two.ways.get(1).heal();
    requireNothingLeft();
  }

  // ---- how long it lives

  @Test
  void r17ALeaseLivesAsLongAsAMajorityKeepsIt() throws Exception {
    Party one = party();
    servers.get(0).limitLife(Duration.ofSeconds(30));
    // So that the other two are the majority, and the shorter of their lives counts
    one.ways.get(2).cut();
    try (Lease held = one.client.lock("a").acquire(PATIENCE)) {
      assertThat(held.remaining()).isLessThan(Duration.ofSeconds(31));
    }
    one.ways.get(2).heal();
    requireNothingLeft();
  }

  @Test
  void r6AMemberThatForgotDoesNotEndALeaseAndAMajorityDoes() throws Exception {
    Party one = party(how -> how.ttl(Duration.ofSeconds(3)));
    Lease held = one.client.lock("a").acquire(PATIENCE);
    CompletableFuture<Void> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(null));
    servers.get(0).restartEmpty();
    await().pollDelay(Duration.ofSeconds(7)).until(held::isHeld);
    assertThat(lost).isNotDone();
    servers.get(1).restartEmpty();
    lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  // ---- opening

  @Test
  void aMemberThatIsDownAtTheStartJoinsLater() throws Exception {
    AtomicInteger refusals = new AtomicInteger(2);
    StoreFactory late =
        listener -> {
          if (refusals.getAndDecrement() > 0) {
            throw new StoreException(Failure.UNAVAILABLE, "it is not up yet", null);
          }
          return servers.get(2).open(listener);
        };
    FaultyStore first = new FaultyStore(servers.get(0));
    Engine client = client(how -> how, first, servers.get(1), late);
    cycle(client);
    await()
        .until(
            () ->
                client.diagnose().stream()
                    .anyMatch(f -> f.detail().contains("3 of 3 members answer")));
    first.cut();
    cycle(client);
    first.heal();
    requireNothingLeft();
  }

  @Test
  void aMajorityThatIsDownAtTheStartIsUnavailable() {
    StoreFactory down =
        listener -> {
          throw new StoreException(Failure.UNAVAILABLE, "it is not up yet", null);
        };
    StoreFactory alsoDown = listener -> down.open(listener);
    assertThatThrownBy(() -> client(how -> how, down, servers.get(0), alsoDown))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
        .hasMessageContaining("it is not up yet");
  }

  // ---- operators, and what is refused

  @Test
  void whatAMajorityListsIsListed() throws Exception {
    Party one = party();
    Party two = party();
    Lease held = one.client.lock("a").acquire(PATIENCE);
    occupyOther(0);
    await().untilAsserted(() -> assertThat(listed(two.client)).containsExactly("a"));
    held.release();
  }

  /** One of the two members that have it does not answer. */
  @Test
  void whatTheSilentMembersMayHaveTooIsListed() throws Exception {
    Party one = party();
    one.ways.get(1).cut();
    StoreFactory down =
        listener -> {
          throw new StoreException(Failure.UNAVAILABLE, "it is not up yet", null);
        };
    Engine two = client(how -> how, servers.get(0), servers.get(1), down);
    Lease held = one.client.lock("a").acquire(PATIENCE);
    occupyOther(0);
    assertThat(listed(two)).containsExactly("a", "other");
    LockSnapshot.Holder seen = two.list().get(0).holders().get(0);
    assertThat(seen.leaseId()).isEqualTo(held.leaseId());
    assertThat(seen.remaining()).isPositive();
    held.release();
  }

  private static List<String> listed(Engine client) {
    return client.list().stream().map(LockSnapshot::name).toList();
  }

  private void occupyOther(int member) {
    Ticket other =
        new Ticket(
            "other",
            new LeaseId(1, 1),
            LockMode.EXCLUSIVE,
            1,
            1,
            Duration.ofMinutes(1),
            Ticket.Intent.TRY,
            false,
            "somebody");
    CompletableFuture<?> unused =
        servers
            .get(member)
            .connect(new DeafListener())
            .attempt(other, PATIENCE)
            .toCompletableFuture();
  }

  @Test
  void r15WhatAQuorumCannotDoIsRefused() {
    Engine client = party().client;
    assertThatThrownBy(() -> client.semaphore("a", 2))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("three clients could hold two of two");
    Consumer<StoreFactory[]> fenced =
        members -> Leasehold.builder(Quorum.of(members)).build().close();
    assertThatThrownBy(() -> fenced.accept(servers.toArray(StoreFactory[]::new)))
        .hasMessageContaining("acceptUnfenced");
    assertThatThrownBy(() -> Quorum.of(servers.get(0), servers.get(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("odd number");
    assertThatThrownBy(() -> Quorum.of(servers.get(0), servers.get(1), servers.get(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("member 1 of the quorum is there twice");
  }
}
