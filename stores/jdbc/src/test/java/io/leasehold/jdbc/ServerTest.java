package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClientBuilder;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreUrl;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Tests on database servers. Each has tables of its own, and its clients end with it. */
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a first run fetches the servers
abstract class ServerTest {
  /** How long a test waits for what must come. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** So long that no ttl heals anything. */
  static final Duration TTL = Duration.ofMinutes(10);

  /** A listener of a store that is used without an engine. */
  static final StoreListener NOBODY =
      new StoreListener() {
        @Override
        public void wake(LeaseId id) {}

        @Override
        public void lost(Collection<LeaseId> ids) {}

        @Override
        public void reconnected() {}
      };

  private final List<AutoCloseable> open = new ArrayList<>();
  private String tables = newTables();

  private static String newTables() {
    return "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
  }

  /** What the names of the tables of this test begin with. */
  final String tables() {
    return tables;
  }

  /** The URL of a server with the tables of this test, which are made. */
  final String own(String jdbcUrl) {
    return jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + "ddl=create&table=" + tables;
  }

  final Engine client(SqlServer server) {
    return client(server, how -> how);
  }

  final Engine client(SqlServer server, UnaryOperator<LockClientBuilder> how) {
    return clientAt(server.jdbcUrl(), how);
  }

  final Engine clientAt(String jdbcUrl, UnaryOperator<LockClientBuilder> how) {
    return client(Leasehold.builder(own(jdbcUrl)), how);
  }

  final Engine client(StoreFactory factory, UnaryOperator<LockClientBuilder> how) {
    return client(Leasehold.builder(factory), how);
  }

  private Engine client(LockClientBuilder builder, UnaryOperator<LockClientBuilder> how) {
    builder.ttl(TTL).closeTimeout(Duration.ofSeconds(1));
    return closed((Engine) how.apply(builder).build());
  }

  /** A way to open stores whose statements are seen. */
  final StoreFactory hooked(String jdbcUrl, StatementHook hook) {
    ServerUrl url = ServerUrl.of(StoreUrl.parse(own(jdbcUrl)), Map.of());
    return listener -> ServerStores.open(url, listener, hook);
  }

  /** A store without an engine. */
  final LockStore store(SqlServer server) {
    return closed(hooked(server.jdbcUrl(), StatementHook.NONE).open(NOBODY));
  }

  /** Closes this after the test. */
  final <T extends AutoCloseable> T closed(T resource) {
    open.add(resource);
    return resource;
  }

  /** Waits until a client has nothing in memory, and nothing in doubt. */
  static void requireNothingLeft(Engine client) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(client.ledger().isZero()).as("%s", client.ledger()).isTrue());
  }

  /** As {@link #beginToWait(Engine, DistributedLock, Engine)}, for the lock of a name. */
  static CompletableFuture<Lease> beginToWait(Engine client, String name, Engine observer) {
    return beginToWait(client, client.lock(name), observer);
  }

  /**
   * One that waits among the rows and was told so, or has failed.
   *
   * @param client whose lock it is
   * @param observer who looks at the rows
   */
  static CompletableFuture<Lease> beginToWait(
      Engine client, DistributedLock lock, Engine observer) {
    AtomicBoolean told = new AtomicBoolean();
    LockListener listener =
        event -> {
          if (event instanceof LockEvent.Waiting waiting && waiting.name().equals(lock.name())) {
            told.set(true);
          }
        };
    client.addListener(listener);
    // It outlasts the restart of a server on a busy machine
    CompletableFuture<Lease> waiter = lock.acquireAsync(PATIENCE.multipliedBy(5));
    DistributedLock seen = observer.lock(lock.name());
    await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(PATIENCE)
        .until(
            () ->
                waiter.isDone()
                    || (told.get()
                        && seen.inspect().stream().anyMatch(s -> !s.waiters().isEmpty())));
    client.removeListener(listener);
    return waiter;
  }

  /** What a waiter gets. */
  static Lease served(CompletableFuture<Lease> waiter) throws Exception {
    return waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** The next client is in at once: nothing of those before stands in the way. */
  static void requireSoon(DistributedLock lock) throws InterruptedException {
    lock.tryAcquire(Duration.ofSeconds(1)).orElseThrow().release();
  }

  /** Lets time pass, where nothing shall happen. */
  static void pass(Duration time) {
    long begin = System.nanoTime();
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(time.plus(PATIENCE))
        .until(() -> System.nanoTime() - begin > time.toNanos());
  }

  /** Does it as the administrator. */
  static void execute(SqlServer server, String... statements) {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** The first column of what the administrator is told. */
  static List<String> ask(SqlServer server, String sql) {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether it is one of those that MySQL's statements are for. */
  static boolean isMysql(SqlServer server) {
    return server.kind() != Kind.POSTGRESQL_15;
  }

  @AfterEach
  final void closeAll() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
    open.clear();
    tables = newTables();
  }
}
