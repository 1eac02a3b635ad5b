package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.SqlServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * docs/sql-locking.md says what a real MySQL does: it is made of what its server was seen to lock.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // a first run fetches the server
class SqlLockingPageTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "sql-locking.md");

  @Test
  void thePageIsWhatTheServerDoes() throws Exception {
    String made;
    try (SqlServer server = SqlServer.of(SqlServer.Kind.MYSQL_9).start();
        InnodbLocks locks = new InnodbLocks(server)) {
      made = new SqlLockingPage(server, locks).made();
    }
    if (Boolean.getBoolean("leasehold.docs.write")) {
      Files.writeString(PAGE, made);
    }
    assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
        .as(
            "docs/sql-locking.md is out of date; make it anew: mvn -pl stores/jdbc -am test"
                + " -Dtest=SqlLockingPageTest -Dleasehold.docs.write=true"
                + " -Dsurefire.failIfNoSpecifiedTests=false")
        .isEqualTo(made);
  }
}
