package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.TTL;
import static io.leasehold.jdbc.Fixture.WITHIN;
import static io.leasehold.jdbc.Fixture.attempt;
import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.only;
import static io.leasehold.jdbc.Fixture.queue;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.ticket;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Renewal: its rules, and how many statements it takes. */
class FileStoreRenewalTest {
  private static final Renewal GONE = new Renewal.Gone();
  private static final Renewal WAITING = new Renewal.Waiting();
  private static final Renewal ATTEMPT_NOW = new Renewal.AttemptNow();
  private static final Renewal RENEWED = new Renewal.Renewed(TTL, false);

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

  @Test
  void aLeaseIsRenewedToItsFullTtl() {
    Ticket held = tryOnce("a");
    granted(one, held);
    clock.advance(TTL.minusNanos(1));
    assertThat(renew(one, held)).isEqualTo(RENEWED);
    clock.advance(TTL.minusNanos(1));
    busy(two, tryOnce("a"));
    clock.advance(Duration.ofNanos(1));
    granted(two, tryOnce("a"));
  }

  @Test
  void r6AnExpiredLeaseIsNotRevived() {
    for (Ticket held : List.of(tryOnce("a"), queue("b"))) {
      granted(one, held);
      clock.advance(TTL);
      assertThat(renew(one, held)).isEqualTo(GONE);
      assertThat(granted(two, tryOnce(held.name())).number()).isEqualTo(2);
      assertThat(renew(one, held)).as("now another holds").isEqualTo(GONE);
    }
  }

  @Test
  void r6AReleasedLeaseIsNotRevived() {
    for (Ticket held : List.of(tryOnce("a"), queue("b"))) {
      granted(one, held);
      release(one, held);
      assertThat(renew(one, held)).isEqualTo(GONE);
      granted(two, tryOnce(held.name()));
    }
  }

  @Test
  void r6WhatIsNotYoursIsNotRenewed() {
    Ticket held = tryOnce("a");
    granted(one, held);
    clock.advance(Duration.ofMinutes(9));
    assertThat(renew(two, tryOnce("a"))).isEqualTo(GONE);
    assertThat(renew(two, queue("a"))).isEqualTo(GONE);
    clock.advance(Duration.ofMinutes(1));
    granted(two, tryOnce("a"));
  }

  @Test
  void aProcessThatPausesBeforeItHasTheWriteLockDoesNotReviveWhatExpiredMeanwhile() {
    Ticket held = tryOnce("a");
    granted(one, held);
    probe.beforeNext("BEGIN IMMEDIATE", () -> clock.advance(TTL));
    assertThat(renew(one, held)).isEqualTo(GONE);
  }

  @Test
  void aProcessThatPausesBeforeItHasTheWriteLockIsGrantedAWholeTtl() {
    probe.beforeNext("BEGIN IMMEDIATE", () -> clock.advance(TTL.multipliedBy(2)));
    granted(one, tryOnce("a"));
    clock.advance(TTL.minusNanos(1));
    busy(two, tryOnce("a"));
  }

  @Test
  void aWaiterWaitsWhileAnotherHoldsAndMayAttemptOnceItIsFree() {
    Ticket held = tryOnce("a");
    Ticket waiting = queue("a");
    granted(two, held);
    busy(one, waiting);
    assertThat(renew(one, waiting)).isEqualTo(WAITING);
    release(two, held);
    assertThat(renew(one, waiting)).isEqualTo(ATTEMPT_NOW);
    assertThat(granted(one, waiting).number()).isEqualTo(2);
    assertThat(renew(one, waiting)).as("now it holds").isEqualTo(RENEWED);
  }

  @Test
  void aWaiterMayAttemptOnceTheHolderHasExpiredOrItsRowIsGone() {
    Ticket held = ticket("a", Ticket.Intent.TRY, Duration.ofSeconds(2));
    Ticket waiting = queue("a");
    granted(two, held);
    busy(one, waiting);
    clock.advance(Duration.ofSeconds(2));
    assertThat(renew(one, waiting)).isEqualTo(ATTEMPT_NOW);
  }

  @Test
  void aWaiterThatIsKnownToNobodyIsGone() {
    assertThat(renew(one, queue("a"))).isEqualTo(GONE);
  }

  @Test
  void pollingWithoutNewsTakesOneReadAndNoWriteLock() {
    Ticket waiting = queue("a");
    granted(two, tryOnce("a"));
    busy(one, waiting);
    probe.taken();
    assertThat(renew(one, waiting)).isEqualTo(WAITING);
    assertThat(probe.taken()).singleElement().asString().startsWith("SELECT");
  }

  @Test
  void aWaiterIsKeptAliveByPollingAndOnlyWrittenOnceHalfItsLifeIsOver() {
    Ticket held = tryOnce("a");
    Ticket waiting = queue("a");
    granted(two, held);
    busy(one, waiting);
    probe.taken();
    clock.advance(Duration.ofMillis(2500));
    renew(one, waiting);
    assertThat(probe.taken()).hasSize(1);
    clock.advance(Duration.ofMillis(1));
    assertThat(renew(one, waiting)).isEqualTo(WAITING);
    assertThat(probe.taken()).hasSize(4);
    clock.advance(Duration.ofMillis(4999));
    assertThat(only(two, "a").waiters()).hasSize(1);
    assertThat(renew(two, held)).isEqualTo(new Renewal.Renewed(TTL, true));
  }

  @Test
  void aWaiterThatLapsedWhileItsProcessWasPausedIsGoneAndMayWaitAgain() {
    granted(two, tryOnce("a"));
    Ticket waiting = queue("a");
    busy(one, waiting);
    clock.advance(Duration.ofSeconds(5));
    assertThat(only(two, "a").waiters()).isEmpty();
    assertThat(renew(one, waiting)).isEqualTo(GONE);
    assertThat(only(two, "a").waiters()).isEmpty();
    busy(one, waiting);
    assertThat(only(two, "a").waiters()).hasSize(1);
    assertThat(renew(one, waiting)).isEqualTo(WAITING);
  }

  @Test
  void aWaiterWhoMayAttemptIsKeptAliveToo() {
    Ticket held = tryOnce("a");
    Ticket waiting = queue("a");
    granted(two, held);
    busy(one, waiting);
    release(two, held);
    for (int second = 0; second < 12; second += 3) {
      clock.advance(Duration.ofSeconds(3));
      assertThat(renew(one, waiting)).isEqualTo(ATTEMPT_NOW);
    }
  }

  @Test
  void heldAndWaitingAreToldApartByTheDatabaseInOneBatch() {
    Map<LeaseId, Renewal> expected = new HashMap<>();
    List<Ticket> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Ticket held = queue("held" + i);
      granted(one, held);
      Ticket expired = ticket("expired" + i, Ticket.Intent.QUEUE, Duration.ofSeconds(1));
      granted(one, expired);
      Ticket waiting = queue("busy" + i);
      granted(two, tryOnce("busy" + i));
      busy(one, waiting);
      Ticket next = queue("free" + i);
      Ticket before = tryOnce("free" + i);
      granted(two, before);
      busy(one, next);
      release(two, before);
      expected.putAll(
          Map.of(
              held.id(),
              RENEWED,
              expired.id(),
              GONE,
              waiting.id(),
              WAITING,
              next.id(),
              ATTEMPT_NOW));
      all.addAll(List.of(held, expired, waiting, next));
    }
    clock.advance(Duration.ofSeconds(1));
    probe.taken();
    assertThat(renew(one, all)).isEqualTo(expected);
    assertThat(probe.taken()).hasSize(4);
  }

  @Test
  void tenThousandLeasesAreRenewedInTwentyTransactions() {
    List<Ticket> all = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      // Half of them came by waiting.
      Ticket held = i % 2 == 0 ? tryOnce("n" + i) : queue("n" + i);
      granted(one, held);
      all.add(held);
    }
    clock.advance(Duration.ofMinutes(9));
    probe.taken();
    Map<LeaseId, Renewal> answers = renew(one, all);
    assertThat(answers.values()).allMatch(RENEWED::equals);
    // Of 500 each: one look at those that may wait, BEGIN, one UPDATE, COMMIT.
    assertThat(probe.taken()).hasSize(20 * 4);
    clock.advance(Duration.ofMinutes(9));
    assertThat(attempt(two, tryOnce("n9999")).toString()).contains("Busy");
  }

  @Test
  void r12AnotherWriterInTheWayMakesTheAnswerUnknownForItsBatchOnly() {
    List<Ticket> all = new ArrayList<>();
    for (int i = 0; i < SqliteRenewing.CHUNK + 1; i++) {
      Ticket held = tryOnce("n" + i);
      granted(one, held);
      all.add(held);
    }
    // The first batch loses its connection before it is carried out.
    probe.beforeNext(
        "UPDATE",
        () -> {
          throw new IllegalStateException("planted");
        });
    Map<LeaseId, Renewal> answers = new HashMap<>();
    one.renew(all, WITHIN, answers::put);
    assertThat(answers).hasSize(SqliteRenewing.CHUNK + 1);
    assertThat(answers.get(all.get(0).id())).isInstanceOf(Renewal.Unknown.class);
    assertThat(answers.get(all.get(SqliteRenewing.CHUNK).id())).isEqualTo(RENEWED);
    assertThat(renew(one, all.get(0))).as("the connection was opened again").isEqualTo(RENEWED);
  }
}
