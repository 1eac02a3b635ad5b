package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockSnapshot;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Ticket;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A waiter gives up while its attempt is between two statements: nothing of it stays (R9). */
class GivingUpTest extends ServerTest {
  /** Stops the first statement of a kind, once it has been carried out. */
  private static final class Stop implements StatementHook {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch asked = new CountDownLatch(1);
    private final Predicate<String> at;

    Stop(Predicate<String> at) {
      this.at = at;
    }

    @Override
    public void before(String sql) {
      if (reached.getCount() == 0) {
        asked.countDown();
      }
    }

    @Override
    public void after(String sql) {
      if (reached.getCount() > 0 && at.test(sql)) {
        reached.countDown();
        await(go);
      }
    }

    static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Which has the row of the name, and will take a place. */
  @ParameterizedTest
  @EnumSource
  void aFairWaiterGivesUpBetweenTheRowAndItsPlace(Kind kind) {
    Stop stop = new Stop(sql -> sql.contains("FROM {lock}") && sql.endsWith("FOR UPDATE"));
    LockStore holding = store(SharedServers.of(kind));
    LockStore store = closed(hooked(SharedServers.of(kind).jdbcUrl(), stop).open(NOBODY));
    Ticket held = Fixture.tryOnce("a");
    Fixture.granted(holding, held);
    Ticket waiter = Fixture.fair(Fixture.queue("a"));
    CompletableFuture<Attempt> attempt =
        CompletableFuture.supplyAsync(() -> Fixture.attempt(store, waiter));
    Stop.await(stop.reached);
    CompletableFuture<Boolean> withdrawal =
        CompletableFuture.supplyAsync(() -> Fixture.withdraw(store, waiter));
    Stop.await(stop.asked);
    stop.go.countDown();
    assertThat(attempt).succeedsWithin(PATIENCE).isNotInstanceOf(Attempt.Granted.class);
    assertThat(withdrawal).succeedsWithin(PATIENCE).isEqualTo(true);
    requireNobodyWaits(holding);
    assertThat(Fixture.release(holding, held)).isEqualTo(Release.RELEASED);
    Fixture.granted(holding, Fixture.fair(Fixture.queue("a")));
  }

  /** Which has seen that the lock is held, and will say that it waits. */
  @ParameterizedTest
  @EnumSource
  void anUnfairWaiterGivesUpBeforeItSaysThatItWaits(Kind kind) {
    Stop stop = new Stop(sql -> sql.contains("FROM {lock}") && !sql.contains("{meta}"));
    LockStore holding = store(SharedServers.of(kind));
    LockStore store = closed(hooked(SharedServers.of(kind).jdbcUrl(), stop).open(NOBODY));
    Fixture.granted(holding, Fixture.tryOnce("a"));
    Ticket waiter = Fixture.queue("a");
    CompletableFuture<Attempt> attempt =
        CompletableFuture.supplyAsync(() -> Fixture.attempt(store, waiter));
    Stop.await(stop.reached);
    assertThat(Fixture.withdraw(store, waiter)).isTrue();
    stop.go.countDown();
    assertThat(attempt).succeedsWithin(PATIENCE).isInstanceOf(Attempt.Busy.class);
    requireNobodyWaits(holding);
  }

  private static void requireNobodyWaits(LockStore store) {
    List<LockSnapshot> seen =
        Fixture.get(store.operator().orElseThrow().list(Optional.of("a"), PATIENCE));
    assertThat(seen).flatExtracting(LockSnapshot::waiters).isEmpty();
  }

  /** Its row among those who wait cannot be removed: it lapses by itself, and the lease is over. */
  @ParameterizedTest
  @EnumSource
  void aReleaseIsAnsweredWhateverBecomesOfTheWaitersRow(Kind kind) throws Exception {
    LockStore store = store(SharedServers.of(kind));
    Ticket first = Fixture.tryOnce("a");
    Fixture.granted(store, first);
    Ticket second = Fixture.queue("a");
    Fixture.busy(store, second);
    assertThat(Fixture.release(store, first)).isEqualTo(Release.RELEASED);
    Fixture.granted(store, second);
    try (Connection other = SharedServers.of(kind).connect()) {
      other.setAutoCommit(false);
      char quote = isMysql(SharedServers.of(kind)) ? '`' : '"';
      String queue = quote + tables() + "_queue" + quote;
      try (PreparedStatement rows =
          other.prepareStatement("SELECT * FROM " + queue + " FOR UPDATE")) {
        assertThat(rows.executeQuery().next()).isTrue();
        assertThat(Fixture.get(store.release(second, Duration.ofSeconds(4))))
            .isEqualTo(Release.RELEASED);
      }
      other.rollback();
    }
    Fixture.granted(store, Fixture.tryOnce("a"));
  }
}
