package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From one session to the next: the server's lock first, then the row. */
class SessionHandOverTest extends ServerTest {
  private final Hearing hearing = new Hearing();

  /** Notes which tickets were granted. */
  private static final class Hearing implements StoreListener {
    final Map<LeaseId, Granted> granted = new ConcurrentHashMap<>();

    @Override
    public void granted(LeaseId id, Granted grant, Supplier<Duration> age) {
      assertThat(age.get()).isBetween(Duration.ZERO, PATIENCE);
      granted.put(id, grant);
    }

    @Override
    public void wake(LeaseId id) {}

    @Override
    public void lost(Collection<LeaseId> ids) {}

    @Override
    public void reconnected() {}
  }

  /** Stops who is about to send a statement, until it is let go. */
  private static final class Stop implements StatementHook {
    final CountDownLatch reached = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);
    private final Predicate<String> at;

    Stop(Predicate<String> at) {
      this.at = at;
    }

    @Override
    public void before(String sql) {
      if (at.test(sql.strip())) {
        reached.countDown();
        awaitIt(go);
      }
    }

    @Override
    public void after(String sql) {}

    static void awaitIt(CountDownLatch latch) {
      try {
        assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private LockStore store(SqlServer server, StatementHook hook) {
    return closed(hooked(server.jdbcUrl() + "&mode=session", hook).open(hearing));
  }

  private Engine sessionClient(SqlServer server) {
    return clientAt(server.jdbcUrl() + "&mode=session", how -> how);
  }

  private static Ticket beginToWait(LockStore store, String name) {
    Ticket ticket = Fixture.queue(name);
    Fixture.busy(store, ticket);
    Fixture.get(store.watch(ticket, PATIENCE));
    return ticket;
  }

  private Granted awaitGrant(Ticket ticket) {
    await().atMost(PATIENCE).until(() -> hearing.granted.containsKey(ticket.id()));
    return hearing.granted.get(ticket.id());
  }

  /** The server's name for the lock. */
  private String key(SqlServer server) {
    String tables = tables() + "_session";
    return new MySqlNamedLocks(tables).key(server.database() + "." + tables, "a").toString();
  }

  /** Until a client waits for the lock in the server's queue. */
  private void awaitInQueue(SqlServer server) {
    String sql = "SELECT id FROM information_schema.processlist WHERE state = 'User lock'";
    await().atMost(PATIENCE).until(() -> !ask(server, sql).isEmpty());
  }

  @ParameterizedTest
  @EnumSource(names = {"MYSQL_9", "MARIADB_10_11"})
  void whoWaitsInTheServersQueueIsGrantedWithoutAsking(Kind kind) {
    SqlServer server = SharedServers.of(kind);
    LockStore one = store(server, StatementHook.NONE);
    LockStore other = store(server, StatementHook.NONE);
    Ticket first = Fixture.tryOnce("a");
    Granted grant = Fixture.granted(one, first);
    Ticket second = beginToWait(other, "a");
    awaitInQueue(server);
    assertThat(Fixture.release(one, first)).isEqualTo(Release.RELEASED);
    Granted told = awaitGrant(second);
    assertThat(told.number()).isGreaterThan(grant.number());
    assertThat(told.remaining()).isEqualTo(second.ttl());
    assertThat(Fixture.granted(other, second).number()).as("asked").isEqualTo(told.number());
    // The former holder's row was left to it, and is not freed any more.
    pass(SessionBeat.BEAT.multipliedBy(2));
    assertThat(Fixture.granted(other, second).number()).isEqualTo(told.number());
    Fixture.busy(one, Fixture.tryOnce("a"));
    assertThat(Fixture.release(other, second)).isEqualTo(Release.RELEASED);
    Fixture.granted(one, Fixture.tryOnce("a"));
  }

  @ParameterizedTest
  @EnumSource(names = {"MYSQL_9", "MARIADB_10_11"})
  void whoseCallerHasGoneWhenTheLockComesHoldsNothing(Kind kind) {
    SqlServer server = SharedServers.of(kind);
    Stop stop = new Stop(sql -> sql.contains("SET fence = LAST_INSERT_ID"));
    LockStore one = store(server, StatementHook.NONE);
    LockStore other = store(server, stop);
    Ticket first = Fixture.tryOnce("a");
    Fixture.granted(one, first);
    Ticket second = beginToWait(other, "a");
    assertThat(Fixture.release(one, first)).isEqualTo(Release.RELEASED);
    Stop.awaitIt(stop.reached);
    assertThat(Fixture.withdraw(other, second)).isTrue();
    stop.go.countDown();
    await().atMost(PATIENCE).untilAsserted(() -> Fixture.granted(one, Fixture.tryOnce("a")));
    assertThat(hearing.granted).isEmpty();
    Fixture.busy(other, second);
  }

  /** As one that dies with the lock, or whose name has the same key. */
  @ParameterizedTest
  @EnumSource(names = {"MYSQL_9", "MARIADB_10_11"})
  void aRowThatIsLeftToWhoDoesNotWriteItIsFreedAllTheSame(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = sessionClient(server);
    Lease lease = client.lock("a").acquire();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      CompletableFuture<Boolean> application =
          CompletableFuture.supplyAsync(() -> getLock(statement, key(server)));
      awaitInQueue(server);
      lease.release();
      assertThat(application.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      await().atMost(PATIENCE).until(() -> client.list().isEmpty());
      assertThat(client.lock("a").tryAcquire()).isEmpty();
    }
    client.lock("a").tryAcquire(Duration.ofSeconds(5)).orElseThrow().release();
  }

  private static boolean getLock(Statement statement, String key) {
    try {
      return statement.execute("SELECT GET_LOCK('" + key + "', 30)");
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Who has the lock first makes the row later. */
  @ParameterizedTest
  @EnumSource
  void whoWaitsBeforeTheNameHasARowIsSeenInIt(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Stop stop = new Stop(sql -> sql.startsWith("INSERT INTO {lock}"));
    LockStore one = store(server, stop);
    Engine other = sessionClient(server);
    Ticket first = Fixture.tryOnce("a");
    CompletableFuture<Granted> grant =
        CompletableFuture.supplyAsync(() -> Fixture.granted(one, first));
    Stop.awaitIt(stop.reached);
    CompletableFuture<Lease> waiter = other.lock("a").acquireAsync(PATIENCE);
    String places = "SELECT count(*) FROM " + tables() + "_session_queue";
    await().atMost(PATIENCE).until(() -> ask(server, places).equals(List.of("1")));
    stop.go.countDown();
    grant.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    String wanted = "SELECT count(*) FROM " + tables() + "_session_lock WHERE wanted_until > 0";
    await().atMost(PATIENCE).until(() -> ask(server, wanted).equals(List.of("1")));
    Fixture.release(one, first);
    served(waiter).release();
  }
}
