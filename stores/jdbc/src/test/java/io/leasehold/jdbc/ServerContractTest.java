package io.leasehold.jdbc;

import io.leasehold.servers.SqlDriver;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.DriverContract;
import io.leasehold.testkit.contract.StoreContract;
import io.leasehold.testkit.contract.StoreFixture;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.UUID;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The promises, on every database that the store is for; over every other driver and way to it,
 * those that a driver can break.
 */
class ServerContractTest {
  /** On its own server, which the contract restarts; so its tests run one after another. */
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  abstract static class OnServer extends StoreContract {
    private final SqlServer server;
    private final SqlDriver driver;

    OnServer(Kind kind, SqlDriver driver) {
      this.server = SqlServer.of(kind).start();
      this.driver = driver;
    }

    @Override
    protected final ContractFixture fixture() {
      return tables(server, driver);
    }

    ContractFixture tables(SqlServer where, SqlDriver by) {
      return new OwnTables(where, by, "");
    }

    @AfterAll
    void stop() {
      server.close();
    }
  }

  /** Over the other driver: the statements and the server are those of the whole contract. */
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  abstract static class OverOtherDriver extends DriverContract {
    private final SqlServer server;
    private final SqlDriver driver;

    OverOtherDriver(Kind kind, SqlDriver driver) {
      this.server = SqlServer.of(kind).start();
      this.driver = driver;
    }

    @Override
    protected final ContractFixture fixture() {
      return new OwnTables(server, driver, "");
    }

    @AfterAll
    void stop() {
      server.close();
    }
  }

  /** Tables of its own for each test. */
  static class OwnTables extends StoreFixture {
    private final SqlServer server;

    OwnTables(SqlServer server, SqlDriver driver, String parameters) {
      super(factory(server.jdbcUrl(driver) + parameters));
      this.server = server;
      with(Ability.RESTART);
    }

    static StoreFactory factory(String url) {
      String tables = "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
      String with = url.contains("?") ? "&" : "?";
      return new JdbcStoreProvider()
          .factory(StoreUrl.parse(url + with + "ddl=create&table=" + tables));
    }

    @Override
    public final void restart() {
      server.process().kill();
      server.start();
    }
  }

  @Nested
  @ResourceLock("OnPostgresql")
  class OnPostgresql extends OnServer {
    OnPostgresql() {
      super(Kind.POSTGRESQL_15, SqlDriver.POSTGRESQL);
    }
  }

  @Nested
  @ResourceLock("OnMysql")
  class OnMysql extends OnServer {
    OnMysql() {
      super(Kind.MYSQL_9, SqlDriver.MYSQL);
    }
  }

  @Nested
  @ResourceLock("OnMariadb")
  class OnMariadb extends OnServer {
    OnMariadb() {
      super(Kind.MARIADB_10_11, SqlDriver.MARIADB);
    }
  }

  @Nested
  @ResourceLock("OnMysqlOverMariadb")
  class OnMysqlOverMariadb extends OverOtherDriver {
    OnMysqlOverMariadb() {
      super(Kind.MYSQL_9, SqlDriver.MARIADB);
    }
  }

  @Nested
  @ResourceLock("OnMariadbOverMysql")
  class OnMariadbOverMysql extends OverOtherDriver {
    OnMariadbOverMysql() {
      super(Kind.MARIADB_10_11, SqlDriver.MYSQL);
    }
  }

  @Nested
  @ResourceLock("OnH2")
  @Execution(ExecutionMode.CONCURRENT)
  class OnH2 extends StoreContract {
    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    @Override
    protected ContractFixture fixture() {
      return new StoreFixture(OwnTables.factory(url));
    }
  }

  @Nested
  @ResourceLock("OnH2File")
  @Execution(ExecutionMode.CONCURRENT)
  class OnH2File extends DriverContract {
    @TempDir Path dir;

    @Override
    protected ContractFixture fixture() {
      return new StoreFixture(OwnTables.factory("jdbc:h2:file:" + dir.resolve("locks")));
    }
  }

  @Nested
  @ResourceLock("OnH2Server")
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  class OnH2Server extends DriverContract {
    private final Server server;

    OnH2Server() throws SQLException {
      server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    }

    @Override
    protected ContractFixture fixture() {
      String url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:locks;DB_CLOSE_DELAY=-1";
      return new StoreFixture(OwnTables.factory(url));
    }

    @AfterAll
    void stop() {
      server.stop();
    }
  }
}
