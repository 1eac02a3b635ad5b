package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockMode;
import io.leasehold.LockSnapshot.Holder;
import io.leasehold.Quorum;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.DeafListener;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.contract.Faults.Loss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A token that rises over a majority of members that forget none of their numbers. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class QuorumTokenTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final InMemorySettings REMEMBERS =
      InMemorySettings.defaults()
          .withFeatures(
              Feature.FENCING, Feature.SURVIVES_RESTART, Feature.QUEUE, Feature.TOMBSTONES);

  private final List<InMemoryServer> servers = new ArrayList<>();
  private final List<Engine> clients = new ArrayList<>();
  private final AtomicInteger strangers = new AtomicInteger();

  /** The token of the last grant. */
  private long last;

  /** A client, and its way to each member. */
  private record Party(Engine client, List<FaultyStore> ways) {}

  private Party party() {
    while (servers.size() < 3) {
      servers.add(new InMemoryServer(REMEMBERS));
    }
    List<FaultyStore> ways = servers.stream().map(FaultyStore::new).toList();
    Engine client = client(ways.toArray(StoreFactory[]::new));
    // It begins with a majority; a test that cuts off one of those needs the last one too
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> client.diagnose().stream().noneMatch(each -> each.check().equals("member")));
    return new Party(client, ways);
  }

  private Engine client(StoreFactory... members) {
    Engine client =
        (Engine)
            Leasehold.builder(Quorum.of(members))
                .ttl(Duration.ofMinutes(10))
                .closeTimeout(Duration.ofSeconds(1))
                .build();
    clients.add(client);
    return client;
  }

  @AfterEach
  void close() {
    clients.forEach(Engine::close);
  }

  private void requireNothingLeft() {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(PATIENCE)
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

  private void requireHigher(Lease lease) {
    assertThat(lease.fencingToken()).isGreaterThan(last);
    last = lease.fencingToken();
  }

  /** Over all members but these. */
  private void cycle(Party party, int... without) throws InterruptedException {
    for (int member : without) {
      party.ways.get(member).cut();
    }
    Lease held = party.client.lock("a").acquire(PATIENCE);
    requireHigher(held);
    held.release();
    for (int member : without) {
      party.ways.get(member).heal();
    }
    requireNothingLeft();
  }

  /** Lets a member give numbers that the others know nothing of. */
  private void getAhead(int member, long number) {
    Ticket stranger =
        new Ticket(
                "other",
                new LeaseId(4711, strangers.incrementAndGet()),
                LockMode.EXCLUSIVE,
                1,
                1,
                Duration.ofMinutes(10),
                Ticket.Intent.TRY,
                false,
                "a stranger")
            .withLeastNumber(number);
    try (LockStore store = servers.get(member).open(new DeafListener())) {
      assertThat(store.attempt(stranger, PATIENCE).toCompletableFuture().join())
          .isInstanceOfSatisfying(
              Granted.class, grant -> assertThat(grant.number()).isGreaterThanOrEqualTo(number));
      CompletableFuture<?> unused = store.release(stranger, PATIENCE).toCompletableFuture();
    }
  }

  private static long farAhead() {
    return System.currentTimeMillis() * 1000 * 2;
  }

  // ---- it rises

  @Test
  void r4ItRisesFromMajorityToMajorityWhenOneMemberIsFarAhead() throws Exception {
    Party one = party();
    Party two = party();
    getAhead(2, farAhead());
    for (int i = 0; i < 3; i++) {
      cycle(one, 1);
      cycle(two, 2);
      cycle(one, 0);
      cycle(two, 1);
      cycle(one, 0);
      cycle(two, 2);
    }
    assertThat(last).isGreaterThan(FenceNumber.token(farAhead() / 2 * 2 - 1_000_000_000L, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void r4ItRisesWhateverTheMembersKnowAndWhicheverAnswer(int members) throws Exception {
    while (servers.size() < members) {
      servers.add(new InMemoryServer(REMEMBERS));
    }
    Random random = new Random(42);
    List<Party> parties = Stream.generate(this::party).limit(3).toList();
    for (int i = 0; i < 300; i++) {
      if (random.nextInt(3) == 0) {
        getAhead(random.nextInt(members), farAhead() + random.nextInt(100));
      }
      int[] without = random.ints(0, members).distinct().limit(members / 2).toArray();
      cycle(parties.get(random.nextInt(3)), without);
    }
  }

  /** Each hand-over inside a grant is above the one before, and below the next grant. */
  @Test
  void r4HandOversAndReadersRiseToo() throws Exception {
    Party one = party();
    Party two = party();
    Lease held = one.client.lock("a").acquire(PATIENCE);
    requireHigher(held);
    CompletableFuture<Lease> here = one.client.lock("a").acquireAsync(PATIENCE);
    held.release();
    Lease next = here.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    requireHigher(next);
    next.release();
    for (int i = 0; i < 3; i++) {
      getAhead(i, farAhead());
      Lease reader = two.client.readWriteLock("a").readLock().acquire(PATIENCE);
      Lease another = one.client.readWriteLock("a").readLock().acquire(PATIENCE);
      assertThat(another.fencingToken()).isGreaterThan(last);
      requireHigher(reader);
      last = Math.max(last, another.fencingToken());
      reader.release();
      another.release();
      Lease writer = one.client.readWriteLock("a").writeLock().acquire(PATIENCE);
      requireHigher(writer);
      writer.release();
    }
    requireNothingLeft();
  }

  @Test
  void r4ItRisesAmongClientsThatShareTheVotes() throws Exception {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Party party = party();
      all.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; n < 25; n++) {
                  try (Lease held = party.client.lock("a").acquire(PATIENCE)) {
                    requireHigher(held);
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

  // ---- what it costs

  @Test
  void aPairIsTwoRequestsToEachMember() throws Exception {
    Party one = party();
    for (int i = 0; i < 100; i++) {
      Lease held = one.client.lock("a").acquire(PATIENCE);
      requireHigher(held);
      // One that is released before is not asked of all
      Awaitility.await()
          .pollInterval(Duration.ofMillis(1))
          .atMost(PATIENCE)
          .until(() -> servers.stream().noneMatch(server -> server.list().isEmpty()));
      held.release();
      // So that no member is still about to be asked
      requireNothingLeft();
    }
    assertThat(one.ways).allSatisfy(way -> assertThat(way.requests()).isEqualTo(200));
  }

  @Test
  void aMemberThatIsAheadCostsOneRequestMoreAndOnlyOnce() throws Exception {
    Party one = party();
    getAhead(0, farAhead());
    one.ways.get(1).cut();
    Lease held = one.client.lock("a").acquire(PATIENCE);
    assertThat(one.ways.get(2).requests()).isEqualTo(2);
    held.release();
    requireNothingLeft();
    int before = one.ways.get(2).requests();
    one.client.lock("a").acquire(PATIENCE).release();
    requireNothingLeft();
    assertThat(one.ways.get(2).requests() - before).isEqualTo(2);
  }

  // ---- what goes wrong

  /** The first request is the attempt, the second the one that raises its number. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void r4WhicheverRequestToAMemberIsLostItRisesAndNothingIsLeft(int member) throws Exception {
    Party probe = party();
    for (Loss loss : Loss.values()) {
      int lost = 0;
      for (int index = 0; ; index++) {
        Party one = party();
        Party two = party();
        getAhead((member + index) % 3, farAhead());
        one.ways.get(member).lose(index, loss);
        two.ways.get(member).lose(index, loss);
        Lease held = one.client.lock("a").acquire(PATIENCE);
        requireHigher(held);
        CompletableFuture<Lease> waiter = two.client.lock("a").acquireAsync(PATIENCE);
        held.release();
        Lease next = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        requireHigher(next);
        next.release();
        requireNothingLeft();
        cycle(probe, (member + 1) % 3);
        boolean all = !one.ways.get(member).wasUsed() && !two.ways.get(member).wasUsed();
        one.client.close();
        two.client.close();
        if (all) {
          break;
        }
        lost++;
      }
      assertThat(lost).as("requests that were lost").isGreaterThanOrEqualTo(3);
    }
  }

  /** Too few have the number: it is no grant, and nothing of it stays. */
  @Test
  void r12AGrantWhoseNumberCannotBeWrittenBackDoesNotCount() throws Exception {
    Party one = party();
    getAhead(0, farAhead());
    one.ways.get(2).cut();
    one.ways.get(1).lose(1, Loss.REQUEST);
    // Asked again under the same id, since that is unknown
    Lease held = one.client.lock("a").acquire(PATIENCE);
    requireHigher(held);
    assertThat(one.ways.get(1).requests()).isGreaterThanOrEqualTo(3);
    held.release();
    one.ways.get(2).heal();
    requireNothingLeft();
    cycle(one, 0);
  }

  /** It does what it has not declared: whatever follows, it is no token. */
  @Test
  void r4AMemberThatGivesLessThanWasAskedForHasNoVote() throws Exception {
    party();
    StoreFactory liar = HookedStore.over(servers.get(0), QuorumTokenTest::withoutNumber);
    Engine client = client(liar, servers.get(1), servers.get(2));
    for (int i = 0; i < 20; i++) {
      Lease held = client.lock("a").acquire(PATIENCE);
      requireHigher(held);
      held.release();
    }
    StoreFactory another = HookedStore.over(servers.get(1), QuorumTokenTest::withoutNumber);
    Engine lost = client(liar, another, servers.get(2));
    assertThatThrownBy(() -> lost.lock("a").tryAcquire())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNKNOWN_OUTCOME))
        .hasMessageContaining("though it was asked for");
    requireNothingLeft();
  }

  private static Object withoutNumber(HookedStore.Call call) throws Throwable {
    return call.is("attempt")
        ? call.store().attempt(((Ticket) call.arguments().get(0)).withLeastNumber(0), call.within())
        : call.proceed();
  }

  // ---- who has one

  @Test
  void r15AMemberThatMayForgetTakesTheTokenAway() throws Exception {
    party();
    InMemoryServer forgets = new InMemoryServer();
    assertThatThrownBy(() -> client(servers.get(0), servers.get(1), forgets))
        .hasMessageContaining("acceptUnfenced");
    try (Engine unfenced =
        (Engine)
            Leasehold.builder(Quorum.of(servers.get(0), forgets, servers.get(1)))
                .acceptUnfenced()
                .build()) {
      assertThat(unfenced.diagnose())
          .anySatisfy(
              found -> {
                assertThat(found.check()).isEqualTo("fencing");
                assertThat(found.detail()).contains("member 2", "may forget the fence numbers");
              });
    }
  }

  @Test
  void r4AMemberThatOpensLateAndMayForgetIsDown() throws Exception {
    party();
    AtomicInteger refusals = new AtomicInteger(1);
    StoreFactory late =
        listener -> {
          if (refusals.getAndDecrement() > 0) {
            throw new StoreException(Failure.UNAVAILABLE, "it is not up yet", null);
          }
          return new InMemoryServer().open(listener);
        };
    Engine client = client(servers.get(0), servers.get(1), late);
    Awaitility.await()
        .atMost(PATIENCE)
        .until(
            () ->
                client.diagnose().stream()
                    .anyMatch(found -> found.detail().contains("it may forget what they do not")));
    client.lock("a").acquire(PATIENCE).release();
  }

  // ---- operators

  @Test
  void r6ALeaseIsBrokenByTheTokenThatIsListed() throws Exception {
    Party one = party();
    Party two = party();
    getAhead(2, farAhead());
    two.ways.get(0).cut();
    Lease held = two.client.lock("a").acquire(PATIENCE);
    requireHigher(held);
    Holder listed = one.client.list().get(0).holders().get(0);
    assertThat(listed.fencingToken()).isEqualTo(held.fencingToken());
    assertThat(one.client.lock("a").breakLease(held.fencingToken() + 1024)).isFalse();
    assertThat(two.client.lock("a").breakLease(held.fencingToken())).isTrue();
    assertThat(one.client.lock("a").breakLease(held.fencingToken())).isFalse();
    two.ways.get(0).heal();
    one.ways.get(2).cut();
    try (Lease next = one.client.lock("a").acquire(PATIENCE)) {
      requireHigher(next);
    }
  }

  /** It stands with the other two. */
  @Test
  void r6ALeaseThatIsBrokenWithAMinorityOnlyIsAnUnknownOutcome() throws Exception {
    Party one = party();
    Lease held = one.client.lock("a").acquire(PATIENCE);
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> servers.stream().noneMatch(server -> server.list().isEmpty()));
    StoreFactory first = HookedStore.over(servers.get(0), QuorumTokenTest::withoutOperator);
    StoreFactory second = HookedStore.over(servers.get(1), QuorumTokenTest::withoutOperator);
    Engine operator = client(first, second, servers.get(2));
    assertThatThrownBy(() -> operator.lock("a").breakLease(held.fencingToken()))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNKNOWN_OUTCOME))
        .hasMessageContaining("1 of 3 members broke it");
    assertThat(held.isHeld()).isTrue();
    assertThat(party().client.lock("a").breakLease(held.fencingToken())).isTrue();
  }

  private static Object withoutOperator(HookedStore.Call call) throws Throwable {
    return call.is("operator") ? Optional.empty() : call.proceed();
  }
}
