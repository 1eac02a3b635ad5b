package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.TTL;
import static io.leasehold.jdbc.Fixture.attempt;
import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.fair;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.only;
import static io.leasehold.jdbc.Fixture.permits;
import static io.leasehold.jdbc.Fixture.queue;
import static io.leasehold.jdbc.Fixture.queued;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.shared;
import static io.leasehold.jdbc.Fixture.ticket;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static io.leasehold.jdbc.Fixture.withdraw;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockSnapshot;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** R20: fair tickets are granted in the order in which they came; by two clients on one clock. */
class FileStoreFairTest {
  private static final Renewal GONE = new Renewal.Gone();
  private static final Renewal WAITING = new Renewal.Waiting();
  private static final Renewal ATTEMPT_NOW = new Renewal.AttemptNow();

  private final ManualClock clock = new ManualClock();
  private final Probe probe = new Probe();

  @TempDir(factory = InMemory.class)
  Path dir;

  private LeaseRowStore one;
  private LeaseRowStore two;

  @BeforeEach
  void open() {
    one = Fixture.open(dir.resolve("locks.db"), clock, "boot", probe);
    two = Fixture.open(dir.resolve("locks.db"), clock, "boot", StatementHook.NONE);
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
  }

  private LeaseRowStore store(int i) {
    return i % 2 == 0 ? one : two;
  }

  @Test
  void theyAreGrantedInTheOrderInWhichTheyCame() {
    Ticket holder = tryOnce("a");
    granted(one, holder);
    List<Ticket> waiting = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      waiting.add(fair(queue("a")));
      queued(i, store(i), waiting.get(i));
    }
    assertThat(attempt(two, waiting.get(3)))
        .as("again")
        .isEqualTo(new Attempt.Queued(3, holder.holder()));
    assertThat(only(two, "a").waiters())
        .extracting(LockSnapshot.Waiter::leaseId)
        .containsExactlyElementsOf(waiting.stream().map(t -> t.id().toString()).toList());
    release(one, holder);
    for (int i = 0; i < 6; i++) {
      for (int later = 5; later > i; later--) {
        assertThat(renew(store(later), waiting.get(later))).isEqualTo(WAITING);
        queued(later - i, store(later), waiting.get(later));
      }
      assertThat(renew(store(i), waiting.get(i))).isEqualTo(ATTEMPT_NOW);
      assertThat(granted(store(i), waiting.get(i)))
          .isEqualTo(new Attempt.Granted(i + 2, TTL, i < 5));
      release(store(i), waiting.get(i));
    }
  }

  @Test
  void aFairOneThatComesWhenItIsFreeDoesNotPassThoseThatWait() {
    Ticket holder = tryOnce("a");
    Ticket first = fair(queue("a"));
    granted(one, holder);
    queued(0, two, first);
    release(one, holder);
    Ticket late = fair(queue("a"));
    assertThat(attempt(one, late)).isEqualTo(new Attempt.Queued(1, ""));
    assertThat(renew(one, late)).isEqualTo(WAITING);
    granted(two, first);
  }

  @Test
  void anUnfairOneMayPass() {
    Ticket holder = tryOnce("a");
    Ticket first = fair(queue("a"));
    granted(one, holder);
    queued(0, two, first);
    release(one, holder);
    Ticket passing = tryOnce("a");
    assertThat(granted(one, passing).wanted()).isTrue();
    release(one, passing);
    granted(two, first);
  }

  @Test
  void aDeadOneIsPassedWhenItsTtlIsOverAndNotBefore() {
    granted(one, ticket("a", Ticket.Intent.TRY, Duration.ofSeconds(1)));
    Ticket dead = fair(ticket("a", Ticket.Intent.QUEUE, Duration.ofSeconds(30)));
    Ticket next = fair(queue("a"));
    queued(0, two, dead);
    queued(1, one, next);
    clock.advance(Duration.ofSeconds(30).minusNanos(1));
    assertThat(renew(one, next)).isEqualTo(WAITING);
    clock.advance(Duration.ofNanos(1));
    assertThat(renew(one, next)).isEqualTo(ATTEMPT_NOW);
    assertThat(renew(two, dead)).isEqualTo(GONE);
    queued(1, two, dead);
    assertThat(granted(one, next)).isEqualTo(new Attempt.Granted(2, TTL, true));
  }

  @Test
  void oneThatLapsedHasLostItsPlaceAndComesLastWhenItComesAgain() {
    Ticket holder = tryOnce("a");
    granted(one, holder);
    Ticket lapsed = fair(ticket("a", Ticket.Intent.QUEUE, Duration.ofSeconds(1)));
    Ticket next = fair(queue("a"));
    queued(0, two, lapsed);
    queued(1, one, next);
    clock.advance(Duration.ofSeconds(1));
    release(one, holder);
    queued(1, two, lapsed);
    assertThat(only(two, "a").waiters())
        .extracting(LockSnapshot.Waiter::waitedFor)
        .containsExactly(Duration.ofSeconds(1), Duration.ZERO);
    granted(one, next);
  }

  @Test
  void aPlaceIsKeptByRenewalForAsLongAsItIsNeeded() {
    Duration ttl = Duration.ofSeconds(30);
    granted(one, tryOnce("a"));
    Ticket first = fair(ticket("a", Ticket.Intent.QUEUE, ttl));
    Ticket second = fair(ticket("a", Ticket.Intent.QUEUE, ttl));
    queued(0, one, first);
    queued(1, two, second);
    int written = 0;
    probe.taken();
    for (int i = 0; i < 600; i++) {
      clock.advance(Duration.ofMillis(100));
      assertThat(renew(one, first)).isEqualTo(WAITING);
      if (i % 90 == 0) {
        assertThat(renew(two, second)).as("after 9 s").isEqualTo(WAITING);
      }
      written += probe.taken().size() > 1 ? 1 : 0;
    }
    assertThat(written).as("polls of a minute that wrote").isBetween(15, 30);
    queued(1, two, second);
  }

  @Test
  void aShortPlaceIsKeptWellInsideAThirdOfItsTtl() {
    granted(one, tryOnce("a"));
    Ticket first = fair(ticket("a", Ticket.Intent.QUEUE, Duration.ofMillis(900)));
    queued(0, one, first);
    clock.advance(Duration.ofMillis(250));
    assertThat(renew(one, first)).isEqualTo(WAITING);
    clock.advance(Duration.ofMillis(899));
    assertThat(renew(one, first)).as("the place was written at 250 ms").isEqualTo(WAITING);
    clock.advance(Duration.ofMillis(900));
    assertThat(renew(one, first)).isEqualTo(GONE);
  }

  @Test
  void oneThatGaveUpIsInNobodysWay() {
    Ticket holder = tryOnce("a");
    Ticket first = fair(queue("a"));
    Ticket second = fair(queue("a"));
    granted(one, holder);
    queued(0, two, first);
    queued(1, one, second);
    assertThat(withdraw(two, first)).isTrue();
    release(one, holder);
    assertThat(renew(one, second)).isEqualTo(ATTEMPT_NOW);
    granted(one, second);
    assertThat(renew(two, first)).isEqualTo(GONE);
  }

  @Test
  void readersOfAQueueAreGrantedTogetherUpToTheNextWriter() {
    Ticket holder = tryOnce("a");
    granted(one, holder);
    Ticket reader1 = fair(shared(queue("a")));
    Ticket reader2 = fair(shared(queue("a")));
    Ticket writer = fair(queue("a"));
    Ticket reader3 = fair(shared(queue("a")));
    List<Ticket> all = List.of(reader1, reader2, writer, reader3);
    for (int i = 0; i < all.size(); i++) {
      queued(i, store(i), all.get(i));
    }
    release(one, holder);
    assertThat(renew(two, reader2)).as("the other has to be first").isEqualTo(WAITING);
    granted(one, reader1);
    granted(two, reader2);
    assertThat(renew(two, reader3)).isEqualTo(WAITING);
    release(one, reader1);
    release(one, reader2);
    queued(1, two, reader3);
    granted(one, writer);
    queued(0, two, reader3);
    release(one, writer);
    granted(two, reader3);
  }

  @Test
  void oneThatWantsManyPermitsIsNotPassedByThoseThatWantFew() {
    Ticket some = permits(2, 3, tryOnce("a"));
    granted(one, some);
    Ticket many = permits(3, 3, fair(queue("a")));
    Ticket few = permits(1, 3, fair(queue("a")));
    queued(0, two, many);
    queued(1, one, few);
    assertThat(renew(one, few)).isEqualTo(WAITING);
    release(one, some);
    queued(1, one, few);
    granted(two, many);
    release(two, many);
    granted(one, few);
  }

  @Test
  void placesOfAnotherBootCountForNothing() {
    Ticket holder = tryOnce("a");
    granted(one, holder);
    queued(0, two, fair(queue("a")));
    try (LeaseRowStore rebooted =
        Fixture.open(dir.resolve("locks.db"), clock, "later", StatementHook.NONE)) {
      assertThat(granted(rebooted, fair(queue("a")))).isEqualTo(new Attempt.Granted(2, TTL, false));
      queued(0, rebooted, fair(queue("a")));
      assertThat(only(rebooted, "a").waiters()).hasSize(1);
    }
  }

  @Test
  void theFirstStatementOfAnUncontendedFairLockIsTheOnlyOne() {
    busy(one, warm("a"));
    Ticket held = fair(queue("b"));
    granted(one, held);
    release(one, held);
    probe.taken();
    Ticket again = fair(queue("b"));
    granted(one, again);
    release(one, again);
    assertThat(probe.taken())
        .filteredOn(sql -> !sql.startsWith("BEGIN") && !sql.startsWith("COMMIT"))
        .hasSize(2);
  }

  private Ticket warm(String name) {
    granted(two, tryOnce(name));
    return tryOnce(name);
  }
}
