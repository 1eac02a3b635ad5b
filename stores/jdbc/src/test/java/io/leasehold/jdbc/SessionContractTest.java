package io.leasehold.jdbc;

import io.leasehold.servers.SqlDriver;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The promises, where the server's own locks exclude. */
class SessionContractTest {
  /** On a server of its own. */
  abstract static class OnServer extends ServerContractTest.OnServer {
    OnServer(Kind kind, SqlDriver driver) {
      super(kind, driver);
    }

    @Override
    final ContractFixture tables(SqlServer where, SqlDriver by) {
      return new Sessions(where, by);
    }
  }

  /** Tables of its own for each test. */
  private static final class Sessions extends ServerContractTest.OwnTables {
    private static final String MODES = "mode=session serves exclusive locks only";

    Sessions(SqlServer server, SqlDriver driver) {
      super(server, driver, "&mode=session");
      without(Ability.SHARED, MODES);
      without(Ability.PERMITS, MODES);
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
