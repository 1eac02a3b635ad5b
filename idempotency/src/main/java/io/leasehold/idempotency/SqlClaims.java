package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimAnswer.Claimed;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import io.leasehold.idempotency.spi.ClaimRow;
import io.leasehold.idempotency.spi.Outcome;
import io.leasehold.jdbc.SqlTables.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Claims and marks by statements each of which stands for itself, whether they run in a transaction
 * or not. Not thread-safe.
 */
final class SqlClaims {
  private static final byte[] NOTHING = {};

  /** A row that is there and never seen is one of a snapshot that is older than it. */
  private static final int MOST_TRIES = 100;

  private final Statements statements;
  private final SqlText sql;
  private final boolean inTransaction;

  SqlClaims(Statements statements) {
    this(statements, false);
  }

  /**
   * By statements.
   *
   * @param inTransaction whether a transaction of the caller may read a snapshot
   */
  SqlClaims(Statements statements, boolean inTransaction) {
    this.statements = statements;
    this.sql = SqlText.of(statements.place());
    this.inTransaction = inTransaction;
  }

  /** A row, and the clock by which its times were counted. */
  private record Seen(ClaimRow row, String kind, long wall) {}

  /**
   * Answers a request.
   *
   * @param known whether there is likely to be a row
   */
  ClaimAnswer claim(ClaimRequest request, boolean known) throws SQLException {
    boolean looks = known || request.intent() == Intent.LOOK;
    for (int i = 0; i < MOST_TRIES; i++) {
      Optional<Seen> seen = Optional.empty();
      if (!looks) {
        if (sql.inserting() == SqlText.Inserting.ANSWERS_WITH_ROW) {
          seen = rows(sql.insert(), claiming(request));
        } else {
          OptionalLong token = inserted(request);
          if (token.isPresent()) {
            return new Claimed(token.getAsLong(), false);
          }
        }
      }
      if (seen.isEmpty()) {
        seen = rows(sql.select(inTransaction), Map.of("name", request.key()));
      }
      Optional<ClaimAnswer> told =
          seen.isPresent() ? seen.get().row().answer(request) : ClaimRow.absent(request);
      if (told.isPresent()) {
        return told.get();
      }
      if (seen.isPresent()) {
        Optional<ClaimAnswer> taken = takenOver(request, seen.get());
        if (taken.isPresent()) {
          return taken.get();
        }
      }
      // Purged, or claimed by another, in between; or there was none after all
      looks = false;
    }
    throw new SQLException(
        "the row of a claim changes all the time, or this transaction cannot see it", "40001");
  }

  private OptionalLong inserted(ClaimRequest request) throws SQLException {
    try {
      if (sql.inserting() == SqlText.Inserting.ANSWERS_WITH_ID) {
        return statements.updateForNumber(sql.insert(), claiming(request));
      }
      List<Long> fences = statements.query(sql.insert(), claiming(request), row -> row.getLong(1));
      return fences.isEmpty() ? OptionalLong.empty() : OptionalLong.of(fences.get(0));
    } catch (SQLException e) {
      if (statements.isDuplicate(e)) {
        return OptionalLong.empty();
      }
      throw e;
    }
  }

  private Optional<ClaimAnswer> takenOver(ClaimRequest request, Seen seen) throws SQLException {
    ClaimRow row = seen.row();
    boolean takenOver = row.isTakenOverBy(request);
    long next = Math.max(seen.wall(), row.token() + 1);
    Map<String, Object> values = claiming(request);
    values.put("next", next);
    values.put("taken", takenOver ? 1L : 0L);
    values.put("seen", row.owner());
    values.put("fence", row.token());
    values.put("kind", seen.kind());
    return statements.update(sql.takeOver(), values) == 0
        ? Optional.empty()
        : Optional.of(new Claimed(next, takenOver));
  }

  private Optional<Seen> rows(String statement, Map<String, ?> values) throws SQLException {
    return statements.query(statement, values, SqlClaims::seen).stream().findFirst();
  }

  private static Seen seen(ResultSet row) throws SQLException {
    String kind = row.getString("kind");
    return new Seen(
        new ClaimRow(
            row.getString("owner"),
            row.getLong("fence"),
            row.getString("fingerprint").replace(SqlText.NONE, ""),
            row.getLong("taken_over") == 1,
            row.getLong("life"),
            row.getLong("kept"),
            kind.equals(SqlText.NONE)
                ? null
                : new Outcome(Outcome.Kind.valueOf(kind), row.getBytes("result"))),
        kind,
        row.getLong("wall"));
  }

  private static Map<String, Object> claiming(ClaimRequest request) {
    Map<String, Object> values = lasting(request.life(), request.keep());
    values.put("name", request.key());
    values.put("owner", request.owner());
    values.put("print", request.fingerprint().isEmpty() ? SqlText.NONE : request.fingerprint());
    values.put("result", NOTHING);
    return values;
  }

  private static Map<String, Object> lasting(Duration life, Duration keep) {
    Map<String, Object> values = new HashMap<>();
    values.put("life", micros(life));
    values.put("kept", micros(life.plus(keep)));
    return values;
  }

  private static long micros(Duration time) {
    return Math.addExact(Math.multiplyExact(time.getSeconds(), 1_000_000L), time.getNano() / 1000L);
  }

  private static Map<String, Object> of(ClaimId claim) {
    Map<String, Object> values = new HashMap<>();
    values.put("name", claim.key());
    values.put("owner", claim.owner());
    values.put("fence", claim.token());
    return values;
  }

  boolean extend(ClaimId claim, Duration life, Duration keep) throws SQLException {
    Map<String, Object> values = of(claim);
    values.putAll(lasting(life, keep));
    return statements.update(sql.extend(), values) > 0;
  }

  boolean complete(ClaimId claim, Outcome outcome, Duration keep) throws SQLException {
    Map<String, Object> values = of(claim);
    values.put("kind", outcome.kind().name());
    values.put("result", outcome.bytes());
    values.put("kept", micros(keep));
    return statements.update(sql.complete(), values) > 0
        || !statements.query(sql.isComplete(), of(claim), row -> true).isEmpty();
  }

  boolean release(String key, String owner, boolean evenTakenOver) throws SQLException {
    return statements.update(
            sql.release(),
            Map.of("name", key, "owner", owner, "even", evenTakenOver ? 1L : 0L, "result", NOTHING))
        > 0;
  }

  boolean forget(String key) throws SQLException {
    return statements.update(sql.forget(), Map.of("name", key, "result", NOTHING)) > 0;
  }

  boolean mark(String key, Duration keep) throws SQLException {
    Map<String, Object> values = Map.of("name", key, "kept", micros(keep));
    return insertsMark(values) || statements.update(sql.remark(), values) > 0;
  }

  private boolean insertsMark(Map<String, Object> values) throws SQLException {
    try {
      return statements.update(sql.insertMark(), values) > 0;
    } catch (SQLException e) {
      if (statements.isDuplicate(e)) {
        return false;
      }
      throw e;
    }
  }

  long increment(String key, Duration keep) throws SQLException {
    while (true) {
      if (mark(key, keep)) {
        return 1;
      }
      List<Long> times = statements.query(sql.count(), Map.of("name", key), row -> row.getLong(1));
      if (!times.isEmpty()
          && statements.update(sql.recount(), Map.of("name", key, "times", times.get(0))) > 0) {
        return times.get(0) + 1;
      }
    }
  }

  boolean unmark(String key) throws SQLException {
    return statements.update(sql.unmark(), Map.of("name", key)) > 0;
  }

  List<String> marked(List<String> keys) throws SQLException {
    return statements.query(sql.marked(), Map.of("names", keys), row -> row.getString(1));
  }

  int purge(int most) throws SQLException {
    Map<String, Object> values = Map.of("most", (long) most);
    return statements.update(sql.purgeClaims(), values)
        + statements.update(sql.purgeMarks(), values);
  }
}
