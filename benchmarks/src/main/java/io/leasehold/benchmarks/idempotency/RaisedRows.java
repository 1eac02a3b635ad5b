package io.leasehold.benchmarks.idempotency;

import io.leasehold.benchmarks.jdbc.Statements;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import io.leasehold.idempotency.Versions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

/** Rows of a table, each with a number that is as high as its version. */
abstract class RaisedRows implements Client.Rows {
  private static final String READ = "SELECT number FROM bench_raised WHERE name = ?";
  private static final String WRITE =
      "UPDATE bench_raised SET number = ?, version = version + 1 WHERE name = ?";

  private final Place place;

  RaisedRows(Place place) {
    this.place = place;
  }

  /**
   * Where the rows are.
   *
   * @param statements of the database
   * @param name what the rows' names begin with
   * @param count how many there are
   */
  record Place(Statements statements, String name, int count) {
    String row(int index) {
      return name + " " + index;
    }
  }

  @Override
  public long sum() {
    Statements statements = place.statements();
    statements.update(
        "CREATE TABLE IF NOT EXISTS bench_raised (name VARCHAR(100) PRIMARY KEY,"
            + " version BIGINT NOT NULL, number BIGINT NOT NULL)");
    long sum = 0;
    for (int i = 0; i < place.count(); i++) {
      String row = place.row(i);
      if (statements.ask("SELECT count(*) FROM bench_raised WHERE name = ?", row) == 0) {
        statements.update("INSERT INTO bench_raised VALUES (?, 0, 0)", row);
      }
      sum += statements.ask(READ, row);
    }
    return sum;
  }

  @Override
  public int raise(int row) {
    return raise(place.statements(), place.row(row));
  }

  abstract int raise(Statements statements, String row);

  @Override
  public void leave() {
    place.statements().leave();
  }

  /** Two statements, each of them a transaction. */
  private static int readAndWrite(Statements statements, String row) {
    statements.update(WRITE, statements.ask(READ, row) + 1, row);
    return 1;
  }

  /** With as many attempts as it takes. */
  static final class ByVersion extends RaisedRows {
    private final Versions versions = Versions.of("bench_raised", "name", "version");

    ByVersion(Place place) {
      super(place);
    }

    @Override
    int raise(Statements statements, String row) {
      int[] tries = new int[1];
      try {
        Versions.retrying(
            Integer.MAX_VALUE,
            Duration.ofMillis(1),
            () -> {
              tries[0]++;
              long seen = statements.ask(READ, row);
              return versions.update(
                  statements.connection(), row, seen, Map.of("number", seen + 1));
            });
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
      return tries[0];
    }
  }

  /** Under a lock of each row, which another process respects too. */
  static final class UnderLock extends RaisedRows {
    private final Function<String, Mutex> locks;

    UnderLock(Place place, Function<String, Mutex> locks) {
      super(place);
      this.locks = locks;
    }

    @Override
    int raise(Statements statements, String row) {
      Mutex lock = locks.apply(row);
      lock.lock();
      try {
        return readAndWrite(statements, row);
      } finally {
        lock.unlock();
      }
    }
  }

  /** In a transaction, which locks the row when it reads it. */
  static final class ByRowLock extends RaisedRows {
    ByRowLock(Place place) {
      super(place);
    }

    @Override
    int raise(Statements statements, String row) {
      try {
        Connection connection = statements.connection();
        if (connection.getAutoCommit()) {
          connection.setAutoCommit(false);
        }
        statements.update(WRITE, statements.ask(READ + " FOR UPDATE", row) + 1, row);
        connection.commit();
        return 1;
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
