package io.leasehold.jdbc;

import io.leasehold.servers.SqlDriver;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import io.leasehold.testkit.contract.StoreFixture;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The promises, where the server's own locks exclude. */
class SessionContractTest {
  /** On a server of its own, which the contract restarts; so its tests run one after another. */
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  abstract static class OnServer extends StoreContract {
    final SqlServer server;
    private final SqlDriver driver;

    OnServer(Kind kind, SqlDriver driver) {
      this.server = SqlServer.of(kind).start();
      this.driver = driver;
    }

    @Override
    protected ContractFixture fixture() {
      return new OwnTables(server, driver);
    }

    @AfterAll
    void stop() {
      server.close();
    }
  }

  /** Tables of its own for each test. */
  static final class OwnTables extends StoreFixture {
    private static final String MODES = "mode=session serves exclusive locks only";

    private final SqlServer server;

    OwnTables(SqlServer server, SqlDriver driver) {
      super(factory(server.jdbcUrl(driver)));
      this.server = server;
      without(Ability.SHARED, MODES);
      without(Ability.PERMITS, MODES);
      with(Ability.RESTART);
    }

    private static StoreFactory factory(String url) {
      String tables = "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
      return new JdbcStoreProvider()
          .factory(StoreUrl.parse(url + "&mode=session&ddl=create&table=" + tables));
    }

    @Override
    public void restart() {
      server.process().kill();
      server.start();
    }
  }

  @Nested
  @ResourceLock("SessionsOnPostgresql")
  class OnPostgresql extends OnServer {
    OnPostgresql() {
      super(Kind.POSTGRESQL_15, SqlDriver.POSTGRESQL);
    }
  }

  @Nested
  @ResourceLock("SessionsOnMysql")
  class OnMysql extends OnServer {
    OnMysql() {
      super(Kind.MYSQL_9, SqlDriver.MYSQL);
    }
  }

  @Nested
  @ResourceLock("SessionsOnMariadb")
  class OnMariadb extends OnServer {
    OnMariadb() {
      super(Kind.MARIADB_10_11, SqlDriver.MARIADB);
    }
  }
}
