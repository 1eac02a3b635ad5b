package io.leasehold.peers;

import io.leasehold.servers.RedisServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Map;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.h2.jdbcx.JdbcDataSource;

/** A private server on the loopback, empty, that ends with its test. */
interface Server extends AutoCloseable {
  /** On which port it listens. */
  int port();

  @Override
  void close();

  /** How one is started. */
  interface Kind {
    /** Starts one. */
    Server start();
  }

  /** H2 in memory, behind its TCP server. */
  static Server h2() {
    try {
      org.h2.tools.Server tcp =
          org.h2.tools.Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
      JdbcDataSource kept = new JdbcDataSource();
      String name = "peers-" + tcp.getPort();
      kept.setURL(h2Url(tcp.getPort(), name, Duration.ZERO) + ";DB_CLOSE_DELAY=-1");
      kept.getConnection().close();
      return new H2(tcp, name);
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Requests take so long at most; zero is for ever. */
  static String h2Url(int port, String name, Duration requestTimeout) {
    return "jdbc:h2:tcp://127.0.0.1:"
        + port
        + "/mem:"
        + name
        + ";NETWORK_TIMEOUT="
        + requestTimeout.toMillis();
  }

  /** Of H2. */
  record H2(org.h2.tools.Server tcp, String name) implements Server {
    @Override
    public int port() {
      return tcp.getPort();
    }

    @Override
    public void close() {
      try (var connection = DriverManager.getConnection(h2Url(port(), name, Duration.ZERO));
          var statement = connection.createStatement()) {
        statement.execute("SHUTDOWN IMMEDIATELY");
      } catch (java.sql.SQLException e) {
        throw new IllegalStateException(e);
      } finally {
        tcp.stop();
      }
    }
  }

  /** ZooKeeper in this process, whose sessions may last as short or long as the contract wants. */
  static Server zooKeeper() {
    try {
      InstanceSpec spec =
          new InstanceSpec(
              (File) null,
              -1,
              -1,
              -1,
              true,
              -1,
              100,
              0,
              Map.<String, Object>of("maxSessionTimeout", "700000"));
      return new ZooKeeper(new TestingServer(spec, true));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Of ZooKeeper. */
  record ZooKeeper(TestingServer testing) implements Server {
    @Override
    public int port() {
      return testing.getPort();
    }

    @Override
    public void close() {
      try {
        testing.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Redis, which keeps nothing. */
  static Server redis() {
    return new Redis(RedisServer.of(RedisServer.Kind.REDIS_7_0).start());
  }

  /** Of Redis. */
  record Redis(RedisServer server) implements Server {
    @Override
    public int port() {
      return server.port();
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
