package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is peculiar to locks that live with a connection. */
class SessionModeTest extends ServerTest {
  private static final Duration SHORT = Duration.ofSeconds(2);

  /** What the store declares, and a loaded machine. */
  private static final Duration FREE_AFTER = SHORT.plusSeconds(4).plusSeconds(12);

  private static final Duration AT_ONCE = Duration.ofSeconds(30);

  @TempDir Path dir;

  private static String sessions(String jdbcUrl) {
    return jdbcUrl + "&mode=session";
  }

  private Engine sessionClient(SqlServer server) {
    return clientAt(sessions(server.jdbcUrl()), how -> how);
  }

  /** Notes what is sent and opened. */
  private static final class Notes implements StatementHook {
    final Queue<String> sent = new ConcurrentLinkedQueue<>();
    final Queue<Connection> opened = new ConcurrentLinkedQueue<>();

    @Override
    public void opened(Connection connection) {
      opened.add(connection);
    }

    @Override
    public void before(String sql) {
      if (!sql.startsWith("SELECT lease_id")) { // the beat
        sent.add(sql.strip());
      }
    }

    @Override
    public void after(String sql) {}
  }

  @ParameterizedTest
  @EnumSource
  void aFreePairIsThreeStatementsOrTwo(Kind kind) throws Exception {
    Notes notes = new Notes();
    SqlServer server = SharedServers.of(kind);
    String url = sessions(server.jdbcUrl());
    Engine client = client(hooked(url, notes), how -> how);
    client.lock("a").acquire().release();
    for (int i = 0; i < 7; i++) {
      notes.sent.clear();
      client.lock("a").acquire().release();
      assertThat(notes.sent.stream().filter(SessionModeTest::isOfALease))
          .hasSize(isMysql(server) ? 3 : 2);
    }
  }

  /** Sweeps run beside, whenever there is time. */
  private static boolean isOfALease(String text) {
    return text.contains(":key") || text.contains(":id");
  }

  @ParameterizedTest
  @EnumSource
  void namesThatServersWouldConfuseDoNotMeet(Kind kind) throws Exception {
    Engine client = sessionClient(SharedServers.of(kind));
    String longName = "x".repeat(200);
    List<Lease> held = new ArrayList<>();
    for (String name : List.of("a", "A", longName, longName + "y", "ä", "Ä", "a ")) {
      held.add(client.lock(name).tryAcquire().orElseThrow());
    }
    assertThat(sessionClient(SharedServers.of(kind)).lock(longName).tryAcquire()).isEmpty();
    held.forEach(Lease::release);
  }

  @ParameterizedTest
  @EnumSource
  void setsOfTablesDoNotMeetHoweverTheyAreNamed(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    String schema = isMysql(server) ? server.database() : "public";
    Engine client = sessionClient(server);
    Lease lease = client.lock("a").acquire();
    String longer =
        server.jdbcUrl() + "&mode=session&table=" + schema + "." + tables() + "&ttl=10s";
    try (LockClient same = Leasehold.connect(longer)) {
      assertThat(same.lock("a").tryAcquire()).as("the same tables").isEmpty();
    }
    Lease other = clientAt(server.jdbcUrl(), how -> how).lock("a").tryAcquire().orElseThrow();
    other.release();
    lease.release();
  }

  @ParameterizedTest
  @EnumSource
  void manyLeasesShareAFewConnectionsWhichEndWithTheClient(Kind kind) throws Exception {
    Notes notes = new Notes();
    String url = sessions(SharedServers.of(kind).jdbcUrl());
    Engine client = client(hooked(url, notes), how -> how);
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      held.add(client.lock("many-" + i).tryAcquire().orElseThrow());
    }
    assertThat(notes.opened).hasSizeLessThanOrEqualTo(LockSessions.OWN + OwnLanes.MOST + 2);
    held.get(99).release();
    requireSoon(sessionClient(SharedServers.of(kind)).lock("many-99"));
    assertThat(held.subList(0, 99)).allMatch(Lease::isHeld);
    client.close();
    await().atMost(PATIENCE).until(() -> notes.opened.stream().allMatch(this::isClosed));
    requireSoon(sessionClient(SharedServers.of(kind)).lock("many-0"));
  }

  private boolean isClosed(Connection connection) {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHolderWhoseConnectionIsKilledIsToldAndTheNextIsIn(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = sessionClient(server);
    Lease lease = client.lock("a").acquire();
    AtomicInteger told = new AtomicInteger();
    lease.onLost(told::incrementAndGet);
    kill(server, "a");
    Lease next = sessionClient(server).lock("a").tryAcquire(AT_ONCE).orElseThrow();
    assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
    await().atMost(AT_ONCE).until(() -> told.get() == 1);
    assertThat(lease.isHeld()).isFalse();
    next.release();
    requireSoon(client.lock("a"));
  }

  /** Ends the connection that has the lock of a name. */
  private void kill(SqlServer server, String name) {
    Object key = key(server, name);
    if (isMysql(server)) {
      execute(server, "KILL " + ask(server, "SELECT IS_USED_LOCK('" + key + "')").get(0));
    } else {
      ask(
          server,
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
              + " AND CAST(classid AS bigint) << 32 | CAST(objid AS bigint) = "
              + key);
    }
  }

  /** The server's name for the lock of a name. */
  private Object key(SqlServer server, String name) {
    String table = tables() + "_session_lock";
    if (isMysql(server)) {
      MySqlNamedLocks locks = new MySqlNamedLocks(tables());
      return locks.key(server.database() + "." + tables() + "_session", name);
    }
    String oid = ask(server, "SELECT CAST(CAST('" + table + "' AS regclass) AS oid)").get(0);
    PostgresDialect dialect = new PostgresDialect("none");
    return new PostgresAdvisoryLocks(new Tables(dialect, tables()), dialect).key(oid, name);
  }

  /** As one does whose name has the same hash, or an application that took the number. */
  @ParameterizedTest
  @EnumSource
  void whoHasTheSameKeyIsOnlyWaitedFor(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = sessionClient(server);
    client.lock("b").acquire().release();
    Object key = key(server, "a");
    CompletableFuture<Lease> waiter;
    try (Connection other = server.connect();
        Statement statement = other.createStatement()) {
      statement.execute(
          isMysql(server)
              ? "SELECT GET_LOCK('" + key + "', 0)"
              : "SELECT pg_advisory_lock(" + key + ")");
      assertThat(client.lock("a").tryAcquire()).isEmpty();
      waiter = beginToWait(client, "a", client);
      client.lock("b").tryAcquire().orElseThrow().release();
    }
    served(waiter).release();
  }

  /** What was waited for has connections beside, so that one is idle while others are shared. */
  @ParameterizedTest
  @EnumSource(names = {"MYSQL_9", "MARIADB_10_11"})
  void aNameIsGrantedOnceThoughAConnectionIsIdle(Kind kind) {
    StoreFactory factory = hooked(sessions(SharedServers.of(kind).jdbcUrl()), StatementHook.NONE);
    LockStore other = closed(factory.open(NOBODY));
    LockStore store = closed(factory.open(NOBODY));
    Ticket theirs = Fixture.tryOnce("waited");
    Fixture.granted(other, theirs);
    Ticket waited = Fixture.queue("waited");
    Fixture.busy(store, waited);
    Fixture.get(store.watch(waited, PATIENCE));
    for (int i = 0; i < LockSessions.OWN; i++) {
      Fixture.granted(store, Fixture.tryOnce("" + i));
    }
    Fixture.release(other, theirs);
    await().atMost(PATIENCE).until(() -> Fixture.attempt(store, waited) instanceof Attempt.Granted);
    Fixture.release(store, waited);
    for (int i = 0; i < 10 * LockSessions.OWN; i++) {
      Fixture.busy(store, Fixture.tryOnce("" + i % LockSessions.OWN));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aNameIsGrantedOnceThoughItsConnectionIsShared(Kind kind) {
    StoreFactory factory = hooked(sessions(SharedServers.of(kind).jdbcUrl()), StatementHook.NONE);
    LockStore store = closed(factory.open(NOBODY));
    Ticket last = Fixture.tryOnce("0");
    Fixture.granted(store, last);
    for (int i = 1; i < 3 * LockSessions.OWN; i++) {
      last = Fixture.tryOnce("" + i);
      Fixture.granted(store, last);
    }
    for (int i = 0; i < 10 * LockSessions.OWN; i++) {
      Fixture.busy(store, Fixture.tryOnce("" + i % (3 * LockSessions.OWN)));
    }
    assertThat(Fixture.release(store, last)).isEqualTo(Release.RELEASED);
    assertThat(Fixture.release(store, last)).isEqualTo(Release.NOT_HELD);
    Fixture.busy(store, last);
    Fixture.granted(store, Fixture.tryOnce(last.name()));
  }

  @ParameterizedTest
  @EnumSource
  void aPartitionedHolderIsToldAndTheNextIsInWithinWhatIsDeclared(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.NONE)) {
      Engine client = clientAt(sessions(server.jdbcUrlBy(proxy.port())), how -> how.ttl(SHORT));
      Engine other = sessionClient(server);
      Lease lease = client.lock("a").acquire();
      AtomicInteger told = new AtomicInteger();
      lease.onLost(told::incrementAndGet);
      proxy.stall(Direction.TO_SERVER);
      proxy.stall(Direction.TO_CLIENT);
      Lease next = other.lock("a").tryAcquire(FREE_AFTER).orElseThrow();
      assertThat(lease.isHeld()).isFalse();
      await().atMost(PATIENCE).until(() -> told.get() == 1);
      next.release();
      client.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStoppedHolderIsOverWhenTheNextIsIn(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine other = sessionClient(server);
    try (Child child = holder(server, SHORT)) {
      awaitHeld(child);
      child.signal("STOP");
      Lease next = other.lock("a").tryAcquire(FREE_AFTER).orElseThrow();
      child.signal("CONT");
      assertThat(child.ask("?")).isEqualTo("lost");
      next.release();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKilledHolderIsOverAtOnceThoughItsTtlIsLong(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine other = sessionClient(server);
    try (Child child = holder(server, TTL)) {
      awaitHeld(child);
      assertThat(other.lock("a").tryAcquire()).isEmpty();
      child.signal("KILL");
      other.lock("a").tryAcquire(AT_ONCE).orElseThrow().release();
    }
  }

  /** What drivers print comes before it. */
  private static void awaitHeld(Child child) {
    while (!child.line().equals("acquired")) {}
  }

  private Child holder(SqlServer server, Duration ttl) {
    String url = own(sessions(server.jdbcUrl()));
    return Child.start(dir, SessionHolder.class, url, ttl.toString());
  }

  /** A request has little time, in which a busy machine may not even connect. */
  private static Lease acquired(Engine client, String name) {
    return await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(StoreException.class)
        .until(() -> client.lock(name).tryAcquire(AT_ONCE), Optional::isPresent)
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void whoHasLittleTimeHarmsNoLeaseOfTheConnection(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.NONE)) {
      Engine client =
          clientAt(
              sessions(server.jdbcUrlBy(proxy.port())),
              how -> how.requestTimeout(Duration.ofSeconds(1)));
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 3 * LockSessions.OWN; i++) {
        held.add(acquired(client, "" + i));
      }
      proxy.stall(Direction.TO_CLIENT);
      assertThatThrownBy(held.get(0)::release).isInstanceOf(StoreException.class);
      proxy.heal();
      pass(SessionBeat.BEAT.multipliedBy(2));
      assertThat(held.subList(1, held.size())).allMatch(Lease::isHeld);
      sessionClient(server).lock("0").tryAcquire(AT_ONCE).orElseThrow().release();
      client.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRowThatIsLockedForAMomentHarmsNoLeaseOfTheConnection(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client =
        clientAt(sessions(server.jdbcUrl()), how -> how.requestTimeout(Duration.ofSeconds(1)));
    acquired(client, "locked").release();
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < LockSessions.OWN; i++) {
      held.add(acquired(client, "beside-" + i));
    }
    try (Connection business = server.connect()) {
      business.setAutoCommit(false);
      try (Statement lock = business.createStatement()) {
        lock.execute(
            "SELECT * FROM " + tables() + "_session_lock WHERE name = 'locked' FOR UPDATE");
      }
      assertThatThrownBy(() -> client.lock("locked").tryAcquire(Duration.ofSeconds(3)))
          .isInstanceOf(StoreException.class);
      // Until the request has been given up too.
      pass(Duration.ofSeconds(3));
      business.rollback();
    }
    assertThat(held).allMatch(Lease::isHeld);
    client.lock("locked").tryAcquire(AT_ONCE).orElseThrow().release();
    held.forEach(Lease::release);
  }

  @ParameterizedTest
  @EnumSource
  void otherModesAreRefusedAndSayWhatToUse(Kind kind) {
    Engine client = sessionClient(SharedServers.of(kind));
    Stream.of(client.readWriteLock("a").readLock(), client.semaphore("b", 2))
        .forEach(
            lock ->
                assertThatThrownBy(lock::tryAcquire)
                    .isInstanceOfSatisfying(
                        StoreException.class,
                        e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
                    .hasMessageContaining("mode=lease"));
  }

  @Test
  void whatIsNotAModeOrHasNoneIsRefused() {
    assertThatThrownBy(() -> url("jdbc:h2:mem:x?mode=session"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("H2");
    assertThatThrownBy(() -> url("jdbc:mysql://h/d?mode=sessions"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lease or session");
    assertThat(url("jdbc:mysql://h/d?mode=lease").tables()).isEqualTo("leasehold");
    assertThat(url("jdbc:mysql://h/d?mode=session").tables()).isEqualTo("leasehold_session");
  }

  private static ServerUrl url(String url) {
    return ServerUrl.of(StoreUrl.parse(url), Map.of());
  }
}
