package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;

/** The connection on which PostgreSQL tells that locks came free. */
class ListeningTest extends ServerTest {
  private static final int MESSAGES = 300;
  private static final Duration SHORT = Duration.ofSeconds(10);

  /** Who was woken, and how often everybody was to ask because messages may have been lost. */
  private static final class Woken implements StoreListener {
    private final Set<LeaseId> ids = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connected = new AtomicInteger();

    @Override
    public void wake(LeaseId id) {
      ids.add(id);
    }

    @Override
    public void lost(Collection<LeaseId> ids) {}

    @Override
    public void reconnected() {
      connected.incrementAndGet();
    }
  }

  @Test
  void messagesInARowInSingleBytesAllArriveOnOneConnection() throws Exception {
    SqlServer server = SharedServers.of(Kind.POSTGRESQL_15);
    try (FaultProxy proxy =
        FaultProxy.to(server.host(), server.port(), SqlFraming.of(Kind.POSTGRESQL_15))) {
      Woken woken = new Woken();
      String url = server.jdbcUrlBy(proxy.port());
      try (LockStore store = hooked(url, StatementHook.NONE).open(woken)) {
        List<Ticket> tickets =
            IntStream.range(0, MESSAGES).mapToObj(i -> Fixture.queue("name " + i)).toList();
        for (Ticket ticket : tickets) {
          store.watch(ticket, SHORT).toCompletableFuture().join();
        }
        proxy.slice(Direction.TO_CLIENT);
        tell(server, tickets, woken);
        assertThat(woken.connected).hasValue(1);
      }
    }
  }

  /** By one message, two, three, ... of a transaction; the next once these have come. */
  private void tell(SqlServer server, List<Ticket> tickets, Woken woken) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT pg_notify(?, ' name ' || i) FROM generate_series(?, ?) AS i")) {
      PostgresDialect dialect = (PostgresDialect) ServerStores.dialect(connection, tables());
      statement.setString(1, dialect.channel());
      int sent = 0;
      for (int count = 1; sent < MESSAGES; count++) {
        int end = Math.min(MESSAGES, sent + count);
        statement.setInt(2, sent);
        statement.setInt(3, end - 1);
        statement.execute();
        List<LeaseId> told = tickets.subList(sent, end).stream().map(Ticket::id).toList();
        await()
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(1))
            .atMost(PATIENCE)
            .until(() -> woken.ids.containsAll(told));
        sent = end;
      }
    }
  }

  /** As an application may have in the URL. */
  public static final class Sockets extends SocketFactory {
    private static final AtomicInteger MADE = new AtomicInteger();

    @Override
    public Socket createSocket() {
      MADE.incrementAndGet();
      return new Socket();
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new AssertionError();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
      throw new AssertionError();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new AssertionError();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
      throw new AssertionError();
    }
  }

  @Test
  void aSocketFactoryOfTheUrlIsKept() {
    String url =
        SharedServers.of(Kind.POSTGRESQL_15).jdbcUrl()
            + "&socketFactory="
            + Sockets.class.getName().replace("$", "%24");
    int before = Sockets.MADE.get();
    try (LockStore store = hooked(url, StatementHook.NONE).open(NOBODY)) {
      store.watch(Fixture.queue("a"), SHORT).toCompletableFuture().join();
      // The first one, and the one that listens
      assertThat(Sockets.MADE.get() - before).isEqualTo(2);
    }
  }
}
