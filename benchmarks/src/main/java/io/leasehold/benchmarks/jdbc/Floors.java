package io.leasehold.benchmarks.jdbc;

import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;

/** The least that a lock can cost. */
final class Floors {
  private static final String UPDATE = "UPDATE bench_row SET number = number + 1 WHERE name = ?";

  private static final String ROWS =
      "CREATE TABLE IF NOT EXISTS bench_row (name VARCHAR(200) PRIMARY KEY, number BIGINT)";

  private Floors() {}

  /** The server's own lock of a session. */
  static Client advisory(String url) {
    Statements statements = new Statements(url);
    return name -> advisory(url, statements, name);
  }

  private static Mutex advisory(String url, Statements statements, String name) {
    return Database.of(url) == Database.POSTGRESQL
        ? postgres(statements, name.hashCode())
        : getLock(statements, name);
  }

  /** The same, and a number that rises with every grant, and is on the disk before it counts. */
  static Client numbered(String url) {
    Statements statements = prepared(url);
    statements.update(ROWS);
    return name -> {
      Mutex lock = advisory(url, statements, name);
      return new Mutex() {
        @Override
        public void lock() {
          lock.lock();
          if (statements.update(UPDATE, name) == 0) {
            require(statements.update("INSERT INTO bench_row VALUES (?, 1)", name));
          }
        }

        @Override
        public void unlock() {
          lock.unlock();
        }
      };
    };
  }

  private static Mutex getLock(Statements statements, String name) {
    return new Mutex() {
      @Override
      public void lock() {
        require(statements.ask("SELECT GET_LOCK(?, 3600)", name));
      }

      @Override
      public void unlock() {
        require(statements.ask("SELECT RELEASE_LOCK(?)", name));
      }
    };
  }

  private static Mutex postgres(Statements statements, int key) {
    return new Mutex() {
      @Override
      public void lock() {
        if (statements.ask("SELECT CAST(pg_try_advisory_lock(?) AS int)", key) == 0) {
          require(statements.ask("SELECT count(pg_advisory_lock(?))", key));
        }
      }

      @Override
      public void unlock() {
        require(statements.ask("SELECT CAST(pg_advisory_unlock(?) AS int)", key));
      }
    };
  }

  /**
   * No lock: two updates by key, each a transaction. Prepared on the server, as Leasehold's
   * statements are: the drivers of MySQL and MariaDB do that only if they are told.
   */
  static Client updates(String url) {
    Statements statements = prepared(url);
    statements.update(ROWS);
    return name -> {
      statements.update("DELETE FROM bench_row WHERE name = ?", name);
      statements.update("INSERT INTO bench_row VALUES (?, 0)", name);
      return new Mutex() {
        @Override
        public void lock() {
          require(statements.update(UPDATE, name));
        }

        @Override
        public void unlock() {
          require(statements.update(UPDATE, name));
        }
      };
    };
  }

  private static Statements prepared(String url) {
    return new Statements(
        Database.of(url) == Database.POSTGRESQL ? url : url + "&useServerPrepStmts=true");
  }

  private static void require(long one) {
    if (one != 1) {
      throw new IllegalStateException("it was not there");
    }
  }
}
