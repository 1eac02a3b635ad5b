package io.leasehold.idempotency;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Optimistic concurrency on a table of the application: an update names the version that it read,
 * and changes no other version. Immutable and thread-safe; a connection is used by the calling
 * thread alone. The names of tables and columns are quoted, so write them as the database spells
 * them.
 */
public final class Versions {
  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

  private final String table;
  private final String keyColumn;
  private final String versionColumn;

  private Versions(String table, String keyColumn, String versionColumn) {
    this.table = table;
    this.keyColumn = keyColumn;
    this.versionColumn = versionColumn;
  }

  /**
   * Optimistic concurrency on one table.
   *
   * @param table the name of the table, with a schema and a dot before it if there is one
   * @param versionColumn a column of whole numbers, not null, which rises by one with each update
   */
  public static Versions of(String table, String keyColumn, String versionColumn) {
    return new Versions(table, keyColumn, versionColumn);
  }

  /** Work that reads a row, and updates it by its version. */
  @FunctionalInterface
  public interface Attempt<T, E extends Exception> {
    /** Runs the work, from the first read on. */
    T run() throws E;
  }

  /**
   * Updates a row if it has this version, in one statement: {@code UPDATE table SET ..., version =
   * version + 1 WHERE key = ? AND version = ?}.
   *
   * @param expected the version that was read
   * @param values new values by column
   * @return the new version
   * @throws VersionConflictException if the row has another version, or is gone
   * @throws SQLException if the database fails
   */
  public long update(
      Connection connection,
      Object key,
      long expected,
      Map<String, ? extends @Nullable Object> values)
      throws SQLException {
    String quote = connection.getMetaData().getIdentifierQuoteString();
    Map<String, @Nullable Object> inOrder = new TreeMap<>(values);
    String version = quoted(versionColumn, quote);
    String set =
        inOrder.keySet().stream()
            .map(column -> quoted(column, quote) + " = ?, ")
            .collect(Collectors.joining());
    String sql =
        "UPDATE "
            + quoted(table, quote)
            + " SET "
            + set
            + version
            + " = "
            + version
            + " + 1 WHERE "
            + quoted(keyColumn, quote)
            + " = ? AND "
            + version
            + " = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (Object value : inOrder.values()) {
        statement.setObject(index++, value);
      }
      statement.setObject(index++, key);
      statement.setLong(index, expected);
      if (statement.executeUpdate() == 0) {
        throw new VersionConflictException(
            "the row of " + table + " no longer has version " + expected + "; read it again");
      }
      return expected + 1;
    }
  }

  /**
   * Subtracts an amount if the column has at least that much, in one statement: {@code UPDATE table
   * SET column = column - ?, version = version + 1 WHERE key = ? AND column >= ?}. Needs neither a
   * version nor a retry.
   *
   * @param amount the amount, positive
   * @return false if the column has less, or there is no such row
   * @throws SQLException if the database fails
   */
  public boolean take(Connection connection, Object key, String column, long amount)
      throws SQLException {
    if (amount <= 0) {
      throw new IllegalArgumentException("the amount must be positive, not " + amount);
    }
    String quote = connection.getMetaData().getIdentifierQuoteString();
    String stock = quoted(column, quote);
    String version = quoted(versionColumn, quote);
    String sql =
        "UPDATE "
            + quoted(table, quote)
            + " SET "
            + stock
            + " = "
            + stock
            + " - ?, "
            + version
            + " = "
            + version
            + " + 1 WHERE "
            + quoted(keyColumn, quote)
            + " = ? AND "
            + stock
            + " >= ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, amount);
      statement.setObject(2, key);
      statement.setLong(3, amount);
      return statement.executeUpdate() > 0;
    }
  }

  private static String quoted(String name, String quote) {
    if (name.isBlank() || name.contains(quote.isBlank() ? "\"" : quote)) {
      throw new IllegalArgumentException("not the name of a table or column: " + name);
    }
    return Arrays.stream(name.split("\\.", -1))
        .map(part -> quote + part + quote)
        .collect(Collectors.joining("."));
  }

  /**
   * Repeats the work after a conflict, with random pauses that grow to a second. An interrupt ends
   * the pauses, not the attempts.
   *
   * @param attempts the largest number of attempts, at least one
   * @param firstPause the longest first pause
   * @throws VersionConflictException if the last attempt fails with a conflict
   * @throws E if the work throws it
   */
  public static <T, E extends Exception> T retrying(
      int attempts, Duration firstPause, Attempt<T, E> work) throws E {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts must be at least 1, not " + attempts);
    }
    long most = Math.max(1, firstPause.toNanos());
    for (int i = 1; i < attempts; i++) {
      try {
        return work.run();
      } catch (VersionConflictException e) {
        LockSupport.parkNanos(work, ThreadLocalRandom.current().nextLong(most));
        most = Math.min(LONGEST_PAUSE_NANOS, most * 2);
      }
    }
    return work.run();
  }

  /** The {@code ETag} of a version, for a response. */
  public static String etag(long version) {
    return "\"" + version + "\"";
  }

  /**
   * The HTTP status of an {@code If-Match} header for a row of this version, by RFC 9110: 200 if
   * the row may be changed, 412 if it has another version, 428 if the header is missing.
   *
   * @param ifMatch the header; null if there is none
   * @param exists whether the row exists
   */
  public static int status(@Nullable String ifMatch, boolean exists, long version) {
    if (ifMatch == null || ifMatch.isBlank()) {
      return 428;
    }
    if (!exists) {
      return 412;
    }
    // A weak tag, W/"7", never matches here; a comma within a tag of ours there is not
    boolean matches =
        ifMatch.strip().equals("*")
            || Arrays.stream(ifMatch.split(",", -1))
                .map(String::strip)
                .anyMatch(tag -> tag.equals(etag(version)));
    return matches ? 200 : 412;
  }
}
