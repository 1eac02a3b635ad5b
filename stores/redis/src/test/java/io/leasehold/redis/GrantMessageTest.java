package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.LockMode;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A waiter is told of its grant by a message, and that is believed only while it is true. */
class GrantMessageTest extends ServerTest {
  private static final Duration WITHIN = Duration.ofSeconds(10);

  /** After which a grant that the waiter did not confirm falls back, and a good deal more. */
  private static final Duration FALLEN_BACK = Duration.ofSeconds(3);

  private final Ticket holder = ticket(1);
  private final Ticket waiter = ticket(2);
  private final Ticket later = ticket(3);
  private final Heard heard = new Heard();
  private LockStore store;

  GrantMessageTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  @BeforeEach
  void everybodyWaits() {
    StoreUrl url = StoreUrl.parse(server.url() + "?prefix=" + prefix());
    Connections connections = ServerAddress.of(url, Map.of(), Set.of());
    store = RedisStore.open(connections, new Keys(prefix()), new SystemClock(), heard);
    assertThat(attempt(holder)).isInstanceOf(Granted.class);
    for (Ticket ticket : List.of(waiter, later)) {
      assertThat(attempt(ticket)).isInstanceOf(Attempt.Queued.class);
      answer(store.watch(ticket, WITHIN));
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void itSaysWhatWasGrantedAndARenewalConfirmsIt() throws Exception {
    release(holder);
    Told told = heard.next();
    assertThat(told.id()).isEqualTo(waiter.id());
    assertThat(told.granted().wanted()).isTrue();
    assertThat(told.granted().remaining()).isEqualTo(Duration.ofMillis(2500));
    assertThat(told.age().get()).isBetween(Duration.ZERO, WITHIN);
    assertThat(renew(waiter)).isEqualTo(new Renewal.Renewed(waiter.ttl(), true));
    pass(FALLEN_BACK);
    assertThat(renew(waiter)).isInstanceOf(Renewal.Renewed.class);
    assertThat(attempt(waiter))
        .isInstanceOfSatisfying(
            Granted.class, g -> assertThat(g.number()).isEqualTo(told.granted().number()));
  }

  /** The first who waits has to ask for it: until then no connection listens. */
  @Test
  void whoComesOnceTheClientListensIsWatchedByTheAttempt() throws Exception {
    Ticket next = ticket(8, 1);
    assertThat(attempt(next)).isEqualTo(new Attempt.Queued(2, "test", true));
    release(holder);
    assertThat(heard.next().id()).isEqualTo(waiter.id());
    release(waiter, later);
    assertThat(heard.next().id()).isEqualTo(next.id());
    release(next);
    StoreUrl url = StoreUrl.parse(server.url());
    Connections connections = ServerAddress.of(url, Map.of(), Set.of());
    try (LockStore other =
        RedisStore.open(connections, new Keys(prefix()), new SystemClock(), heard)) {
      assertThat(attempt(ticket(5))).isInstanceOf(Granted.class);
      Ticket first = ticket(9, 1);
      assertThat(answer(other.attempt(first, WITHIN))).isEqualTo(new Attempt.Queued(0, "test"));
      answer(other.withdraw(first, WITHIN));
      release(ticket(5));
    }
  }

  @Test
  void whatWasNotConfirmedIsReleasedToTheNext() throws Exception {
    release(holder);
    assertThat(heard.next().id()).isEqualTo(waiter.id());
    release(waiter);
    Told told = heard.next();
    assertThat(told.id()).isEqualTo(later.id());
    assertThat(told.granted().wanted()).isFalse();
    release(later);
    assertThat(states()).isEmpty();
  }

  @Test
  void r20ItNamesTheNeighboursOfItsClientAndTheReleaseDropsThem() throws Exception {
    Ticket other = ticket(8, 1);
    Ticket last = ticket(4);
    assertThat(attempt(other)).isInstanceOf(Attempt.Queued.class);
    assertThat(attempt(last)).isInstanceOf(Attempt.Queued.class);
    release(holder);
    assertThat(heard.next().granted().run()).containsExactly(later.id());
    assertThat(attempt(waiter))
        .isInstanceOfSatisfying(
            Granted.class, g -> assertThat(g.run()).containsExactly(later.id()));
    release(waiter, later);
    Told told = heard.next();
    assertThat(told.id()).isEqualTo(other.id());
    assertThat(told.granted().run()).isEmpty();
    assertThat(renew(later)).isInstanceOf(Renewal.Gone.class);
    release(other);
    assertThat(heard.next().id()).isEqualTo(last.id());
    release(last);
    assertThat(states()).isEmpty();
  }

  /** The release names what is not at the head of the queue any more. */
  @Test
  void r20AServedNeighbourMayBeGoneBeforeTheRelease() throws Exception {
    Ticket last = ticket(4);
    assertThat(attempt(last)).isInstanceOf(Attempt.Queued.class);
    release(holder);
    assertThat(heard.next().granted().run()).containsExactly(later.id(), last.id());
    assertThat(answer(store.withdraw(later, WITHIN))).isFalse();
    release(waiter, later, last);
    assertThat(states()).isEmpty();
    assertThat(renew(last)).isInstanceOf(Renewal.Gone.class);
  }

  @Test
  void r1WhatIsToldAfterItFellBackIsNotBelieved() throws Exception {
    release(holder);
    Told told = heard.next();
    String message = waiter.id() + " " + told.granted().number() + " 1";
    // It is not asked for: this client is taken to be gone, with all that wait there.
    await().atMost(PATIENCE).until(() -> renew(later) instanceof Renewal.Gone);
    assertThat(attempt(later)).isInstanceOf(Granted.class);
    assertThat(renew(waiter)).isInstanceOf(Renewal.Gone.class);
    assertThat(attempt(waiter)).isInstanceOf(Attempt.Queued.class);

    assertThat(server.command("PUBLISH", channels().get(0), message)).isEqualTo(1L);

    assertThat(heard.next()).isEqualTo(new Told(waiter.id(), null, null));
    assertThat(renew(waiter)).isInstanceOf(Renewal.Waiting.class);
  }

  @Test
  void whatIsNotKnownToWaitIsOnlyWoken() throws Exception {
    release(holder);
    Told told = heard.next();
    assertThat(answer(store.withdraw(waiter, WITHIN))).isFalse();
    assertThat(heard.next().id()).isEqualTo(later.id());
    String message = waiter.id() + " " + told.granted().number() + " 0";
    assertThat(server.command("PUBLISH", channels().get(0), message)).isEqualTo(1L);
    assertThat(heard.next()).isEqualTo(new Told(waiter.id(), null, null));
  }

  private Attempt attempt(Ticket ticket) {
    return answer(store.attempt(ticket, WITHIN));
  }

  private void release(Ticket ticket, Ticket... served) {
    List<LeaseId> ids = Stream.of(served).map(Ticket::id).toList();
    assertThat(answer(store.release(ticket, ids, WITHIN))).isEqualTo(Release.RELEASED);
  }

  private Renewal renew(Ticket ticket) {
    CompletableFuture<Renewal> answer = new CompletableFuture<>();
    store.renew(List.of(ticket), WITHIN, (id, renewal) -> answer.complete(renewal));
    return answer(answer);
  }

  private static Ticket ticket(long sequence) {
    return ticket(7, sequence);
  }

  private static Ticket ticket(long client, long sequence) {
    return new Ticket(
        "n",
        new LeaseId(client, sequence),
        LockMode.EXCLUSIVE,
        1,
        1,
        Duration.ofMinutes(10),
        Ticket.Intent.QUEUE,
        true,
        "test");
  }

  private static <T> T answer(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  /** What a listener was told; without a grant: only woken. */
  private record Told(LeaseId id, Granted granted, Supplier<Duration> age) {}

  private static final class Heard implements StoreListener {
    private final BlockingQueue<Told> all = new LinkedBlockingQueue<>();

    Told next() throws InterruptedException {
      Told told = all.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(told).as("a report").isNotNull();
      return told;
    }

    @Override
    public void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
      all.add(new Told(id, granted, age));
    }

    @Override
    public void wake(LeaseId id) {
      all.add(new Told(id, null, null));
    }

    @Override
    public void reconnected() {}

    @Override
    public void lost(Collection<LeaseId> ids) {}
  }
}
