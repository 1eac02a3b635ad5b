package io.leasehold.idempotency;

import io.leasehold.idempotency.contract.IdempotencyStoreContract;
import io.leasehold.idempotency.spi.IdempotencyStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** The rules, on each database. */
class SqlIdempotencyStoreTest {
  @TestInstance(Lifecycle.PER_CLASS)
  abstract static class Rules extends IdempotencyStoreContract {
    private final Databases database;
    private IdempotencyStore store = IdempotencyStores.inMemory();

    Rules(Databases database) {
      this.database = database;
    }

    @BeforeAll
    void open(@TempDir Path dir) {
      store = IdempotencyStores.open(database.storeUrl(dir, "contract"));
    }

    @AfterAll
    void close() {
      store.close();
    }

    @Override
    protected IdempotencyStore store() {
      return store;
    }
  }

  @Nested
  class PostgreSql extends Rules {
    PostgreSql() {
      super(Databases.POSTGRESQL);
    }
  }

  @Nested
  class MySql extends Rules {
    MySql() {
      super(Databases.MYSQL);
    }
  }

  @Nested
  class MariaDb extends Rules {
    MariaDb() {
      super(Databases.MARIADB);
    }
  }

  @Nested
  class H2 extends Rules {
    H2() {
      super(Databases.H2);
    }
  }

  @Nested
  class Sqlite extends Rules {
    Sqlite() {
      super(Databases.SQLITE);
    }
  }
}
