package io.leasehold.idempotency;

import io.leasehold.jdbc.SqlTables.Place;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The statements, as one database understands them. In them stand {@code {now}} for the clock by
 * which claims live, {@code {wall}} for the one by which results are kept, {@code {epoch}} for what
 * the first is counted from, and {@code {left}} for how long a claim still lives; all in
 * microseconds. Thread-safe.
 */
final class SqlText {
  /** What stands where there is nothing: one database takes an empty text for null. */
  static final String NONE = "-";

  private static final String VALUES =
      " (name, owner, fence, fingerprint, taken_over, epoch, expires, kept_until, kind, result)"
          + " VALUES (:name, :owner, {first}, :print, 0, {epoch}, {now} + {life}, {wall} + {kept},"
          + " '-', :result)";

  private static final String COLUMNS =
      "owner, fence, fingerprint, taken_over, {left} AS life, kept_until - {wall} AS kept, kind,"
          + " result, {wall} AS wall";

  private static final Map<String, SqlText> KNOWN = new ConcurrentHashMap<>();

  private final Place place;
  private final Map<String, String> spelled = new ConcurrentHashMap<>();

  private SqlText(Place place) {
    this.place = place;
  }

  static SqlText of(Place place) {
    return KNOWN.computeIfAbsent(
        place.product() + " " + place.now() + " " + place.tables().apply("claim"),
        key -> new SqlText(place));
  }

  private String spelled(String sql) {
    return spelled.computeIfAbsent(sql, this::spell);
  }

  private String spell(String sql) {
    boolean isFile = place.product().equals("sqlite");
    boolean isTyped = place.product().equals("h2") || place.product().equals("postgresql");
    String wall = isFile ? "CAST(unixepoch('subsec') * 1000000 AS INTEGER)" : place.now();
    boolean hasEpoch = isFile && place.now().contains(":now");
    return sql.replace("{first}", isMySql() ? "LAST_INSERT_ID({wall})" : "{wall}")
        .replace(
            "{left}",
            hasEpoch
                ? "CASE WHEN epoch = :epoch THEN expires - {now} ELSE 0 END"
                : "expires - {now}")
        .replace("{epoch}", hasEpoch ? ":epoch" : "'-'")
        .replace("{life}", isTyped ? "CAST(:life AS BIGINT)" : ":life")
        .replace("{kept}", isTyped ? "CAST(:kept AS BIGINT)" : ":kept")
        .replace("{now}", place.now())
        .replace("{wall}", wall)
        .replace("{claim}", place.tables().apply("claim"))
        .replace("{mark}", place.tables().apply("mark"));
  }

  private boolean isMySql() {
    return place.product().equals("mysql");
  }

  /** How a claim is inserted. */
  enum Inserting {
    /** One statement, which answers with the row that is there then. */
    ANSWERS_WITH_ROW,
    /** One that answers with the number of the new row. */
    ANSWERS_WITH_ID,
    /** One that answers with the new row, and fails if there is another. */
    ANSWERS_IF_NEW
  }

  Inserting inserting() {
    return switch (place.product()) {
      case "postgresql", "mariadb" -> Inserting.ANSWERS_WITH_ROW;
      case "mysql" -> Inserting.ANSWERS_WITH_ID;
      default -> Inserting.ANSWERS_IF_NEW;
    };
  }

  /** The first statement of a claim: see {@link #inserting}. */
  String insert() {
    return spelled(
        switch (place.product()) {
          // What is inserted is not in the snapshot that the second part reads
          case "postgresql" ->
              "WITH made AS (INSERT INTO {claim}"
                  + VALUES
                  + " ON CONFLICT (name) DO NOTHING RETURNING *) SELECT "
                  + COLUMNS
                  + " FROM made UNION ALL SELECT "
                  + COLUMNS
                  + " FROM {claim} WHERE name = :name AND NOT EXISTS (SELECT 1 FROM made)";
          case "mariadb" ->
              "INSERT INTO {claim}"
                  + VALUES
                  + " ON DUPLICATE KEY UPDATE fence = fence RETURNING "
                  + COLUMNS;
          case "mysql" -> "INSERT INTO {claim}" + VALUES;
          case "h2" -> "SELECT fence FROM FINAL TABLE (INSERT INTO {claim}" + VALUES + ")";
          default -> "INSERT INTO {claim}" + VALUES + " ON CONFLICT DO NOTHING RETURNING fence";
        });
  }

  /**
   * Looks.
   *
   * @param newest whether a transaction may read a snapshot that is too old, and this must not
   */
  String select(boolean newest) {
    return spelled(
        "SELECT "
            + COLUMNS
            + " FROM {claim} WHERE name = :name"
            + (newest && isMySql() ? " FOR SHARE" : ""));
  }

  /** Claims a row that was seen, if it did not change, and was not extended, meanwhile. */
  String takeOver() {
    return spelled(
        "UPDATE {claim} SET owner = :owner, fence = :next, fingerprint = :print,"
            + " taken_over = :taken, epoch = {epoch}, expires = {now} + {life},"
            + " kept_until = {wall} + {kept}, kind = '-', result = :result"
            + " WHERE name = :name AND owner = :seen AND fence = :fence AND kind = :kind"
            + " AND {left} <= 0");
  }

  String extend() {
    return spelled(
        "UPDATE {claim} SET epoch = {epoch}, expires = {now} + {life}, kept_until = {wall} + {kept}"
            + " WHERE name = :name AND owner = :owner AND fence = :fence AND kind = '-'"
            + " AND {left} > 0");
  }

  String complete() {
    return spelled(
        "UPDATE {claim} SET kind = :kind, result = :result, expires = 0,"
            + " kept_until = {wall} + {kept}"
            + " WHERE name = :name AND owner = :owner AND fence = :fence AND kind = '-'");
  }

  String isComplete() {
    return spelled(
        "SELECT 1 FROM {claim}"
            + " WHERE name = :name AND owner = :owner AND fence = :fence AND kind <> '-'");
  }

  private static final String GONE =
      "UPDATE {claim} SET owner = '-', kind = '-', result = :result, expires = 0, kept_until = 0";

  String release() {
    return spelled(
        GONE
            + " WHERE name = :name AND owner = :owner AND kind = '-'"
            + " AND (taken_over = 0 OR taken_over = :even)");
  }

  String forget() {
    return spelled(GONE + " WHERE name = :name AND (kept_until > {wall} OR {left} > 0)");
  }

  String purgeClaims() {
    return purge("claim", "kept_until <= {wall} AND {left} <= 0");
  }

  String purgeMarks() {
    return purge("mark", "kept_until <= {wall}");
  }

  private String purge(String kind, String over) {
    String table = "{" + kind + "}";
    String some = "SELECT name FROM " + table + " WHERE " + over + " LIMIT :most";
    return spelled(
        switch (place.product()) {
          case "h2" -> "DELETE FROM " + table + " WHERE " + over + " LIMIT :most";
          // Rows that a transaction has locked are passed by: waiting would hold up other claims
          case "mysql", "mariadb" ->
              "DELETE "
                  + table
                  + " FROM "
                  + table
                  + " JOIN ("
                  + some
                  + " FOR UPDATE SKIP LOCKED) some ON some.name = "
                  + table
                  + ".name";
          case "postgresql" ->
              "DELETE FROM "
                  + table
                  + " WHERE name = ANY (ARRAY("
                  + some
                  + " FOR UPDATE SKIP LOCKED))";
          // In a file no other connection writes between the two
          default -> "DELETE FROM " + table + " WHERE name IN (" + some + ")";
        });
  }

  /** Makes the row of a mark; where {@link #ignoresTwin}, does nothing if there is one. */
  String insertMark() {
    String insert =
        "INSERT INTO {mark} (name, times, kept_until) VALUES (:name, 1, {wall} + {kept})";
    return spelled(ignoresTwin() ? insert + " ON CONFLICT DO NOTHING" : insert);
  }

  boolean ignoresTwin() {
    return place.product().equals("postgresql") || place.product().equals("sqlite");
  }

  String remark() {
    return spelled(
        "UPDATE {mark} SET times = 1, kept_until = {wall} + {kept}"
            + " WHERE name = :name AND kept_until <= {wall}");
  }

  String count() {
    return spelled("SELECT times FROM {mark} WHERE name = :name AND kept_until > {wall}");
  }

  String recount() {
    return spelled(
        "UPDATE {mark} SET times = times + 1"
            + " WHERE name = :name AND times = :times AND kept_until > {wall}");
  }

  String unmark() {
    return spelled("DELETE FROM {mark} WHERE name = :name AND kept_until > {wall}");
  }

  String marked() {
    return spelled("SELECT name FROM {mark} WHERE name IN (:names) AND kept_until > {wall}");
  }

  /** The statements that make the tables. */
  static List<String> ddl(Place place) {
    boolean isMariaDb = place.product().equals("mariadb");
    String file = "schema/" + (isMariaDb ? "mysql" : place.product()) + ".sql";
    try (InputStream schema = SqlText.class.getResourceAsStream(file)) {
      if (schema == null) {
        throw new IllegalStateException(file + " is missing from the jar");
      }
      String text =
          new String(schema.readAllBytes(), StandardCharsets.UTF_8)
              .replace("{collation}", isMariaDb ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin");
      for (String table : List.of("claim", "mark")) {
        String index = place.tables().apply(table + "_kept");
        boolean isPostgres = place.product().equals("postgresql");
        text =
            text.replace("{" + table + "}", place.tables().apply(table))
                // There an index cannot be anywhere but with its table
                .replace(
                    "{" + table + "_kept}",
                    isPostgres ? index.substring(index.lastIndexOf('.') + 1) : index);
      }
      return Arrays.stream(text.replaceAll("--[^\n]*", "").split(";", -1))
          .map(String::strip)
          .filter(statement -> !statement.isEmpty())
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException(file + " cannot be read from the jar", e);
    }
  }
}
