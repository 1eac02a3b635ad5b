package io.leasehold.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.LockMode;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.Watch;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the recipe asks of a store, and what it makes of its answers. */
class SessionLockStoreTest {
  private static final Duration WITHIN = Duration.ofSeconds(10);
  private static final Duration TTL = Duration.ofMinutes(10);

  /** One more than a request can read. */
  private static final int TOO_MANY_FOR_ONE_REQUEST = 51;

  private static final AtomicLong IDS = new AtomicLong();

  private final ManualClock clock = new ManualClock();
  private final List<SessionLockStore> stores = new ArrayList<>();
  private InMemoryEntries server = new InMemoryEntries(clock);
  private final RecordingListener listener = new RecordingListener();

  @AfterEach
  void close() {
    stores.forEach(SessionLockStore::close);
    server.close();
  }

  private SessionLockStore open() {
    SessionLockStore store = server.open(listener);
    stores.add(store);
    return store;
  }

  /** Where time has to pass by itself. */
  private SessionLockStore openOnTheSystemClock() {
    server.close();
    server = new InMemoryEntries(new SystemClock());
    return open();
  }

  private static Ticket exclusive(String name, Intent intent) {
    return ticket(name, LockMode.EXCLUSIVE, 1, 1, intent, TTL);
  }

  private static Ticket ticket(
      String name, LockMode mode, int permits, int limit, Intent intent, Duration ttl) {
    LeaseId id = new LeaseId(1, IDS.incrementAndGet());
    return new Ticket(
        name, id, mode, permits, limit, ttl, intent, false, "holder " + id.sequence());
  }

  private static <T> T join(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  private static Attempt attempt(SessionLockStore store, Ticket ticket) throws Exception {
    return join(store.attempt(ticket, WITHIN));
  }

  private static void queue(SessionLockStore store, Ticket ticket) throws Exception {
    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Queued.class);
    while (join(store.watch(ticket, WITHIN)) == Watch.ATTEMPT_AGAIN) {
      assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Queued.class);
    }
  }

  /** One that waits for this ticket, which is granted. */
  private static Ticket behind(SessionLockStore store, Ticket held) throws Exception {
    assertThat(attempt(store, held)).isInstanceOf(Attempt.Granted.class);
    Ticket waits = exclusive(held.name(), Intent.QUEUE);
    queue(store, waits);
    return waits;
  }

  private static Map<LeaseId, Renewal> renew(SessionLockStore store, List<Ticket> tickets) {
    Map<LeaseId, Renewal> answers = new ConcurrentHashMap<>();
    store.renew(tickets, WITHIN, answers::put);
    await().until(() -> answers.size() == tickets.size());
    return answers;
  }

  // ---- requests

  @Test
  void aPairIsTwoRequests() throws Exception {
    SessionLockStore store = open();
    Ticket first = exclusive("warm", Intent.QUEUE);
    attempt(store, first);
    int before = server.requests();
    Ticket ticket = exclusive("name", Intent.QUEUE);

    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Granted.class);
    assertThat(join(store.release(ticket, WITHIN))).isEqualTo(Release.RELEASED);

    assertThat(server.requests() - before).isEqualTo(2);
  }

  @Test
  void aFailedTryNamesTheHolderAndLeavesNothing() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    attempt(store, held);
    int before = server.requests();

    Attempt busy = attempt(store, exclusive("name", Intent.TRY));

    assertThat(busy).isEqualTo(new Attempt.Busy(Duration.ZERO, held.holder()));
    assertThat(server.requests() - before).as("enter, look, leave").isEqualTo(3);
    assertThat(server.keys("name")).hasSize(1);
  }

  @Test
  void oneReleaseGrantsTheFirstOf200Waiters() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    attempt(store, held);
    List<Ticket> waiting = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      waiting.add(exclusive("name", Intent.QUEUE));
      queue(store, waiting.get(i));
    }

    store.release(held, WITHIN);

    await().until(() -> !listener.told.isEmpty());
    assertThat(renew(store, waiting).values())
        .filteredOn(answer -> !(answer instanceof Renewal.Waiting))
        .singleElement()
        .isInstanceOf(Renewal.Renewed.class);
    assertThat(listener.told).containsOnlyKeys(waiting.get(0).id());
    assertThat(listener.woken).isEmpty();
  }

  @Test
  void aWaiterIsGrantedBeforeItsEntryIsLookedFor() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    Ticket waits = behind(store, held);
    CompletableFuture<Void> read = new CompletableFuture<>();
    server.hold("read", read);
    int before = server.requests();

    store.release(held, WITHIN);
    await().until(() -> listener.told.containsKey(waits.id()));

    Attempt.Granted granted = listener.told.get(waits.id());
    assertThat(granted.number()).isGreaterThan(1);
    assertThat(granted.remaining()).isPositive().isLessThanOrEqualTo(TTL);
    assertThat(granted.wanted()).isFalse();
    assertThat(listener.ages).containsExactly(Duration.ZERO);
    await().until(() -> server.requests() - before == 2);
    assertThat(server.count("enter")).isEqualTo(2);
    read.complete(null);
    assertThat(renew(store, List.of(waits)).get(waits.id())).isInstanceOf(Renewal.Renewed.class);
    assertThat(listener.lost).isEmpty();
  }

  @Test
  void aPauseMakesAGrantThatIsToldShorter() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    Ticket waits = behind(store, held);
    // The session has its ttl, of which a lease counts on 60 percent
    listener.pause = () -> clock.advance(TTL.dividedBy(2));

    store.release(held, WITHIN);

    await().until(() -> listener.told.containsKey(waits.id()));
    assertThat(listener.told.get(waits.id()).remaining())
        .isEqualTo(TTL.dividedBy(10).multipliedBy(6));
    assertThat(listener.ages).containsExactly(TTL.dividedBy(10));
  }

  @Test
  void aWaiterWhoseEntryWasRemovedBeforeItsGrantLosesTheLockAtOnce() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    Ticket waits = behind(store, held);

    server.remove("name");
    await().until(() -> listener.told.containsKey(waits.id()));

    await().untilAsserted(() -> assertThat(listener.lost).containsExactly(waits.id()));
    assertThat(renew(store, List.of(waits))).containsEntry(waits.id(), new Renewal.Gone());
  }

  @Test
  void permitsWakeTwoOf200Waiters() throws Exception {
    SessionLockStore store = open();
    Ticket held = ticket("name", LockMode.PERMITS, 3, 3, Intent.QUEUE, TTL);
    attempt(store, held);
    List<Ticket> waiting = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      waiting.add(ticket("name", LockMode.PERMITS, 2, 3, Intent.QUEUE, TTL));
      queue(store, waiting.get(i));
    }

    store.release(held, WITHIN);
    await().until(() -> !listener.woken.isEmpty());
    assertThat(attempt(store, waiting.get(0))).isInstanceOf(Attempt.Granted.class);
    await().until(() -> listener.woken.size() == 2);
    int before = server.requests();
    assertThat(attempt(store, waiting.get(1))).isInstanceOf(Attempt.Queued.class);

    assertThat(listener.woken).containsExactly(waiting.get(0).id(), waiting.get(1).id());
    assertThat(server.requests() - before)
        .as("reads, watches whom it waits for now, reads")
        .isEqualTo(3);
  }

  @Test
  void twoThousandLeasesAreRenewedInFortyReadsAndOneBeat() throws Exception {
    SessionLockStore store = open();
    List<Ticket> held = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      held.add(exclusive("name " + i, Intent.QUEUE));
      attempt(store, held.get(i));
    }
    clock.advance(TTL.dividedBy(2));
    int beats = server.count("beat");

    Map<LeaseId, Renewal> answers = renew(store, held);

    assertThat(answers.values()).allMatch(answer -> answer instanceof Renewal.Renewed);
    assertThat(server.count("read")).isEqualTo(40);
    assertThat(server.count("beat") - beats).isEqualTo(1);
  }

  private static List<Ticket> granted(SessionLockStore store, int leases) throws Exception {
    List<Ticket> held = new ArrayList<>();
    for (int i = 0; i < leases; i++) {
      held.add(exclusive("name " + i, Intent.QUEUE));
      assertThat(attempt(store, held.get(i))).isInstanceOf(Attempt.Granted.class);
    }
    return held;
  }

  @Test
  void namesThatTakeSeveralRequestsAreReadFourTimesInATtlAtMost() throws Exception {
    SessionLockStore store = open();
    List<Ticket> held = granted(store, TOO_MANY_FOR_ONE_REQUEST);
    renew(store, held);
    int reads = server.count("read");
    server.remove(held.get(0).name());

    clock.advance(TTL.dividedBy(5));
    assertThat(renew(store, held).values()).allMatch(a -> a instanceof Renewal.Renewed);
    assertThat(server.count("read") - reads).isZero();

    clock.advance(TTL.dividedBy(20));
    Map<LeaseId, Renewal> answers = renew(store, held);
    assertThat(server.count("read") - reads).isEqualTo(2);
    assertThat(answers.get(held.get(0).id())).isEqualTo(new Renewal.Gone());
    assertThat(answers.get(held.get(1).id())).isInstanceOf(Renewal.Renewed.class);
  }

  @Test
  void namesThatOneRequestReadsAndThoseOfWaitersAreAlwaysRead() throws Exception {
    SessionLockStore store = open();
    List<Ticket> held = granted(store, TOO_MANY_FOR_ONE_REQUEST);
    Ticket waits = exclusive(held.get(1).name(), Intent.QUEUE);
    // Without a watch
    assertThat(attempt(store, waits)).isInstanceOf(Attempt.Queued.class);
    List<Ticket> all = new ArrayList<>(held);
    all.add(waits);
    renew(store, all);

    join(store.release(held.get(1), WITHIN));
    all.remove(held.get(1));
    assertThat(renew(store, all).get(waits.id())).isEqualTo(new Renewal.AttemptNow());

    server.remove(held.get(0).name());
    assertThat(renew(store, all.subList(0, 50)).get(held.get(0).id()))
        .isEqualTo(new Renewal.Gone());
  }

  @Test
  void aLeaseWhoseSessionEndedIsGoneThoughItsNameWasJustRead() throws Exception {
    SessionLockStore store = open();
    List<Ticket> held = granted(store, TOO_MANY_FOR_ONE_REQUEST);
    renew(store, held);

    server.endSessions();
    await().until(() -> listener.lost.size() == held.size());

    assertThat(renew(store, held).values()).allMatch(a -> a instanceof Renewal.Gone);
  }

  @Test
  void aSessionIsProlongedOnceForLeasesThatAreRenewedOneByOne() throws Exception {
    SessionLockStore store = open();
    List<Ticket> held = List.of(exclusive("a", Intent.QUEUE), exclusive("b", Intent.QUEUE));
    for (Ticket each : held) {
      attempt(store, each);
    }
    clock.advance(TTL.dividedBy(2));
    int beats = server.count("beat");

    renew(store, held.subList(0, 1));
    renew(store, held.subList(1, 2));

    assertThat(server.count("beat") - beats).isEqualTo(1);
  }

  /** The next beat comes by itself. */
  @Test
  void aSessionOfWhichEnoughIsLeftIsNotProlongedByARenewal() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("a", Intent.QUEUE);
    attempt(store, held);
    clock.advance(TTL.dividedBy(4));
    int beats = server.count("beat");

    assertThat(renew(store, List.of(held)).get(held.id())).isInstanceOf(Renewal.Renewed.class);

    assertThat(server.count("beat") - beats).isZero();
  }

  // ---- who is next

  @Test
  void aWaiterWhoseNeighbourGivesUpStillWaits() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    Ticket second = exclusive("name", Intent.QUEUE);
    Ticket third = exclusive("name", Intent.QUEUE);
    attempt(store, held);
    queue(store, second);
    queue(store, third);

    assertThat(join(store.withdraw(second, WITHIN))).isTrue();
    await().until(() -> listener.woken.contains(third.id()));
    assertThat(attempt(store, third)).isEqualTo(new Attempt.Queued(0, held.holder()));

    assertThat(listener.told).isEmpty();
    store.release(held, WITHIN);
    await().until(() -> listener.told.containsKey(third.id()));
  }

  @Test
  void permitsAreTakenTogetherOrNotAtAll() throws Exception {
    SessionLockStore store = open();
    Ticket first = ticket("name", LockMode.PERMITS, 3, 4, Intent.QUEUE, TTL);
    Ticket second = ticket("name", LockMode.PERMITS, 3, 4, Intent.QUEUE, TTL);

    assertThat(attempt(store, first)).isInstanceOf(Attempt.Granted.class);
    queue(store, second);
    assertThat(renew(store, List.of(first, second)))
        .containsEntry(second.id(), new Renewal.Waiting());
    store.release(first, WITHIN);

    await().until(() -> listener.woken.contains(second.id()));
    assertThat(attempt(store, second)).isInstanceOf(Attempt.Granted.class);
  }

  @Test
  void aRenewalSaysThatANameIsWanted() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    attempt(store, held);
    assertThat(renew(store, List.of(held)).get(held.id()))
        .isInstanceOfSatisfying(Renewal.Renewed.class, r -> assertThat(r.wanted()).isFalse());

    queue(open(), exclusive("name", Intent.QUEUE));

    assertThat(renew(store, List.of(held)).get(held.id()))
        .isInstanceOfSatisfying(Renewal.Renewed.class, r -> assertThat(r.wanted()).isTrue());
  }

  /** Those that stood before it when it was asked last may do so still. */
  @Test
  void aWaiterBehindTheNextIsNotGrantedBecauseTheNextIsGone() throws Exception {
    SessionLockStore store = open();
    List<Ticket> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      readers.add(ticket("name", LockMode.SHARED, 1, 1, Intent.QUEUE, TTL));
      assertThat(attempt(store, readers.get(i))).isInstanceOf(Attempt.Granted.class);
    }
    Ticket writer = exclusive("name", Intent.QUEUE);
    queue(store, writer);

    store.release(readers.get(1), WITHIN);
    await().until(() -> listener.woken.contains(writer.id()));
    assertThat(attempt(store, writer)).isInstanceOf(Attempt.Queued.class);
    assertThat(join(store.watch(writer, WITHIN))).isEqualTo(Watch.NOTHING_MISSED);

    assertThat(listener.told).isEmpty();
    store.release(readers.get(0), WITHIN);
    await().until(() -> listener.told.containsKey(writer.id()));
  }

  /** What was read before is not what stands in a later session. */
  @Test
  void aWaiterWhoseSessionEndedEntersBehindWhatStandsThen() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    Ticket waits = exclusive("name", Intent.QUEUE);
    attempt(open(), held);
    assertThat(attempt(store, waits)).isInstanceOf(Attempt.Queued.class);

    server.endSessions();
    SessionLockStore other = open();
    assertThat(attempt(other, exclusive("name", Intent.QUEUE))).isInstanceOf(Attempt.Granted.class);
    await().until(() -> listener.woken.contains(waits.id()));

    assertThat(attempt(store, waits)).isInstanceOf(Attempt.Queued.class);
  }

  // ---- ends

  @Test
  void leasesOfASessionThatEndsAreLostAndItsWaitersEnterAgain() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    Ticket waits = exclusive("other", Intent.QUEUE);
    attempt(store, held);
    attempt(open(), exclusive("other", Intent.QUEUE));
    assertThat(attempt(store, waits)).isInstanceOf(Attempt.Queued.class);

    server.endSessions();

    await().until(() -> listener.lost.contains(held.id()) && listener.woken.contains(waits.id()));
    assertThat(attempt(store, waits)).isInstanceOf(Attempt.Granted.class);
    assertThat(attempt(store, held)).as("granted once").isInstanceOf(Attempt.Busy.class);
    assertThat(renew(store, List.of(held))).containsEntry(held.id(), new Renewal.Gone());
    assertThat(join(store.release(held, WITHIN))).isEqualTo(Release.NOT_HELD);
    assertThat(server.keys("name")).isEmpty();
  }

  @Test
  void whatWasWithdrawnIsNeverGranted() throws Exception {
    SessionLockStore store = open();
    Ticket ticket = exclusive("name", Intent.QUEUE);

    assertThat(join(store.withdraw(ticket, WITHIN))).isTrue();

    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Busy.class);
    assertThat(server.keys("name")).isEmpty();
  }

  /** The first one ends without an effect while the second is under way, and is granted. */
  @Test
  void anAttemptThatIsLateForgetsNothingOfItsRepeat() throws Exception {
    SessionLockStore store = open();
    Ticket ticket = exclusive("name", Intent.QUEUE);
    CompletableFuture<Void> opened = new CompletableFuture<>();
    server.holdOpens(opened);
    CompletionStage<Attempt> first = store.attempt(ticket, WITHIN);
    CompletionStage<Attempt> second = store.attempt(ticket, WITHIN);
    server.refuseEntries(1);
    opened.complete(null);

    List<Boolean> failed = new ArrayList<>();
    for (CompletionStage<Attempt> each : List.of(first, second)) {
      failed.add(join(each.handle((answer, failure) -> failure != null)));
    }

    assertThat(failed).containsOnlyOnce(true);
    assertThat(renew(store, List.of(ticket)).get(ticket.id())).isInstanceOf(Renewal.Renewed.class);
    assertThat(join(store.withdraw(ticket, WITHIN))).isTrue();
    assertThat(server.keys("name")).isEmpty();
  }

  /** Its repeat was answered, and the lock was released since. */
  @Test
  void aRequestToEnterThatIsLateMakesNoEntryBehindTheRelease() throws Exception {
    SessionLockStore store = open();
    Ticket ticket = exclusive("name", Intent.QUEUE);
    server.delayEntry();
    assertThatThrownBy(() -> attempt(store, ticket)).hasMessageContaining("no answer");

    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Granted.class);
    assertThat(join(store.release(ticket, WITHIN))).isEqualTo(Release.RELEASED);
    server.arrive();

    assertThat(server.keys("name")).isEmpty();
  }

  @Test
  void aRequestToEnterThatIsLateMakesNoEntryBehindAFailedTry() throws Exception {
    SessionLockStore store = open();
    attempt(store, exclusive("name", Intent.QUEUE));
    Ticket ticket = exclusive("name", Intent.TRY);
    server.delayEntry();
    assertThatThrownBy(() -> attempt(store, ticket)).hasMessageContaining("no answer");

    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Busy.class);
    server.arrive();

    assertThat(server.keys("name")).hasSize(1);
  }

  /** It was read in a session that ended before the ticket entered another one and was granted. */
  @Test
  void aListThatIsLateEndsNoLaterLease() throws Exception {
    SessionLockStore store = open();
    attempt(open(), exclusive("name", Intent.QUEUE));
    Ticket ticket = exclusive("name", Intent.QUEUE);
    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Queued.class);
    CompletableFuture<Void> arrives = new CompletableFuture<>();
    server.hold("read", arrives);
    CompletableFuture<Renewal> late = new CompletableFuture<>();
    store.renew(List.of(ticket), WITHIN, (id, answer) -> late.complete(answer));
    server.endSessions();
    await().until(() -> listener.woken.contains(ticket.id()));
    server.hold("read", CompletableFuture.completedFuture(null));
    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Granted.class);

    arrives.complete(null);

    assertThat(join(late)).isInstanceOf(Renewal.Unknown.class);
    assertThat(renew(store, List.of(ticket)).get(ticket.id())).isInstanceOf(Renewal.Renewed.class);
    assertThat(join(store.release(ticket, WITHIN))).isEqualTo(Release.RELEASED);
  }

  @Test
  void aRepeatedAttemptIsTheSameGrant() throws Exception {
    SessionLockStore store = open();
    Ticket ticket = exclusive("name", Intent.QUEUE);
    Attempt first = attempt(store, ticket);

    assertThat(attempt(store, ticket)).isEqualTo(first);
    assertThat(server.keys("name")).hasSize(1);
  }

  @Test
  void aLeaseThatTheEngineForgotEndsThoughItsSessionLives() throws Exception {
    SessionLockStore store = openOnTheSystemClock();
    Duration brief = Duration.ofMillis(900);
    Ticket forgotten = ticket("name", LockMode.EXCLUSIVE, 1, 1, Intent.QUEUE, brief);
    Ticket kept = ticket("other", LockMode.EXCLUSIVE, 1, 1, Intent.QUEUE, brief);
    attempt(store, forgotten);
    attempt(store, kept);

    await()
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              assertThat(renew(store, List.of(kept)).get(kept.id()))
                  .isInstanceOf(Renewal.Renewed.class);
              return server.keys("name").isEmpty();
            });

    assertThat(server.keys("other")).hasSize(1);
    assertThat(attempt(store, forgotten)).isInstanceOf(Attempt.Busy.class);
  }

  /**
   * The request that removes its entry may still take effect, long after its outcome was unknown.
   */
  @Test
  void aTryThatWasRefusedIsNotGrantedByTheEntryThatItHasGivenUp() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    attempt(store, held);
    Ticket tries = exclusive("name", Intent.TRY);
    server.loseRemovals(1);
    assertThatThrownBy(() -> attempt(store, tries)).hasRootCauseMessage("no answer");
    assertThat(join(store.release(held, WITHIN))).isEqualTo(Release.RELEASED);
    assertThat(server.keys("name")).hasSize(1);

    assertThat(attempt(store, tries)).isInstanceOf(Attempt.Busy.class);

    assertThat(server.keys("name")).isEmpty();
  }

  /** Before, its engine could not ask for what it waited for; now it counts on the lease. */
  @Test
  void aLeaseOfWhichTheEngineWasJustToldDoesNotLapse() throws Exception {
    SessionLockStore store = openOnTheSystemClock();
    Duration ttl = Duration.ofSeconds(2);
    Ticket held = ticket("name", LockMode.EXCLUSIVE, 1, 1, Intent.QUEUE, TTL);
    attempt(store, held);
    Ticket waits = ticket("name", LockMode.EXCLUSIVE, 1, 1, Intent.QUEUE, ttl);
    AtomicLong told = new AtomicLong();
    listener.pause = () -> told.set(System.nanoTime());
    long queued = System.nanoTime();
    queue(store, waits);
    await().until(() -> System.nanoTime() - queued > ttl.toNanos() * 6 / 10);
    join(store.release(held, WITHIN));
    await().until(() -> listener.told.containsKey(waits.id()));

    await().until(() -> server.keys("name").isEmpty());

    assertThat(System.nanoTime() - told.get()).isGreaterThan(ttl.toNanos() * 8 / 10);
  }

  /** Its session lives, so nothing else removes it. */
  @Test
  void anEntryIsRemovedThoughItsEngineWasToldThatItIsGoneBeforeItWas() throws Exception {
    SessionLockStore store = openOnTheSystemClock();
    Ticket ticket = ticket("name", LockMode.EXCLUSIVE, 1, 1, Intent.QUEUE, Duration.ofMillis(900));
    attempt(store, ticket);
    server.loseRemovals(1);
    await().until(() -> server.count("leave") > 0);

    assertThat(renew(store, List.of(ticket)).get(ticket.id())).isInstanceOf(Renewal.Gone.class);

    assertThat(server.keys("name")).hasSize(1);
    await().until(() -> server.keys("name").isEmpty());
  }

  @Test
  void anAttemptThatFindsItsSessionEndedOpensAnother() throws Exception {
    SessionLockStore store = open();
    attempt(store, exclusive("idle", Intent.QUEUE));

    clock.advance(TTL.plusSeconds(1));

    assertThat(attempt(store, exclusive("name", Intent.QUEUE))).isInstanceOf(Attempt.Granted.class);
    assertThat(server.count("open")).isEqualTo(2);
  }

  @Test
  void aSessionInDoubtIsProlongedBeforeAGrant() throws Exception {
    SessionLockStore store = open();
    attempt(store, exclusive("warm", Intent.QUEUE));
    server.pauseExpiry();
    clock.advanceWall(TTL.plusSeconds(1));

    assertThat(attempt(store, exclusive("name", Intent.QUEUE))).isInstanceOf(Attempt.Granted.class);

    assertThat(server.count("beat")).isEqualTo(1);
  }

  /** A person removed the entry meanwhile, and the repeat of the attempt found that. */
  @Test
  void anEntryThatIsGoneIsNotGrantedAfterTheBeat() throws Exception {
    SessionLockStore store = open();
    attempt(store, exclusive("warm", Intent.QUEUE));
    server.pauseExpiry();
    clock.advanceWall(TTL.plusSeconds(1));
    Ticket ticket = exclusive("name", Intent.QUEUE);
    CompletableFuture<Void> beats = new CompletableFuture<>();
    server.hold("beat", beats);
    CompletionStage<Attempt> late = store.attempt(ticket, WITHIN);
    await().until(() -> server.count("beat") == 1);
    server.remove("name");
    assertThat(attempt(open(), exclusive("name", Intent.QUEUE)))
        .isInstanceOf(Attempt.Granted.class);
    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Queued.class);

    beats.complete(null);

    assertThat(join(late)).isInstanceOf(Attempt.Queued.class);
  }

  /** The entry that the answer is about was removed before another attempt made the next one. */
  @Test
  void theLateAnswerToARemovalEndsNoLaterLease() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    attempt(store, held);
    Ticket ticket = exclusive("name", Intent.TRY);
    CompletableFuture<Void> arrives = new CompletableFuture<>();
    server.hold("leave", arrives);
    CompletionStage<Attempt> late = store.attempt(ticket, WITHIN);
    await().until(() -> server.count("leave") == 1);
    server.hold("leave", CompletableFuture.completedFuture(null));
    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Busy.class);
    join(store.release(held, WITHIN));
    assertThat(attempt(store, ticket)).isInstanceOf(Attempt.Granted.class);

    arrives.complete(null);

    assertThat(join(late)).isInstanceOf(Attempt.Busy.class);
    assertThat(renew(store, List.of(ticket)).get(ticket.id())).isInstanceOf(Renewal.Renewed.class);
    assertThat(join(store.release(ticket, WITHIN))).isEqualTo(Release.RELEASED);
  }

  @Test
  void semaphoresAndLocksRefuseEachOther() throws Exception {
    SessionLockStore store = open();
    attempt(store, ticket("name", LockMode.PERMITS, 1, 5, Intent.QUEUE, TTL));

    assertThat(attempt(store, exclusive("name", Intent.QUEUE)))
        .isEqualTo(new Attempt.OtherKind(LockMode.PERMITS, 5));
    assertThat(attempt(store, ticket("name", LockMode.PERMITS, 1, 4, Intent.QUEUE, TTL)))
        .isEqualTo(new Attempt.OtherKind(LockMode.PERMITS, 5));
    assertThat(server.keys("name")).hasSize(1);
  }

  /** What is of another kind then may be a try that is about to leave. */
  @Test
  void aWaiterIsNotRefusedForWhatIsOfAnotherKindLater() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    Ticket waits = exclusive("name", Intent.QUEUE);
    attempt(store, held);
    queue(store, waits);
    server.insertFirst(ticket("name", LockMode.PERMITS, 1, 5, Intent.TRY, TTL));

    assertThat(attempt(store, waits)).isInstanceOf(Attempt.Queued.class);
    assertThat(server.keys("name")).hasSize(3);
  }

  @Test
  void aRenewalStatesNoMoreThanAnyRenewalYields() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    Duration yields = TTL.multipliedBy(60).dividedBy(100);

    assertThat(attempt(store, held)).isEqualTo(new Attempt.Granted(1, yields, false));

    assertThat(renew(store, List.of(held)).get(held.id()))
        .isEqualTo(new Renewal.Renewed(yields, false));
  }

  /** The list alone proves nothing: the session may end before it is prolonged again. */
  @Test
  void aLeaseWhoseSessionIsInDoubtIsNotRenewed() throws Exception {
    SessionLockStore store = open();
    Ticket held = exclusive("name", Intent.QUEUE);
    attempt(store, held);
    server.pauseExpiry();
    server.refuseBeats();
    clock.advance(TTL.plusSeconds(1));

    assertThat(renew(store, List.of(held)).get(held.id())).isInstanceOf(Renewal.Unknown.class);
  }

  @Test
  void aStoreThatIsClosedHasEndedItsSessions() throws Exception {
    SessionLockStore store = open();
    attempt(store, exclusive("name", Intent.QUEUE));

    store.close();

    assertThat(server.count("end")).isEqualTo(1);
    assertThat(server.keys("name")).isEmpty();
  }
}
