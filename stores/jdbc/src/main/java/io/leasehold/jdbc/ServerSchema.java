package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.StoreException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Whether the tables on a server are there, and of a version we know. */
final class ServerSchema {
  /** What is done about the tables when a store is opened. */
  enum Care {
    /** They are made if they are not there. */
    CREATE,
    /** They must be there, and of a version that we know. */
    VALIDATE,
    /** Nothing: the first request shows. */
    NONE;

    static Care of(String text) {
      try {
        return valueOf(text.toUpperCase(Locale.ROOT));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("ddl is create, validate or none, not " + text, e);
      }
    }
  }

  private static final int VERSION = 1;

  static final String FIRST_ROW =
      "INSERT INTO {meta} (one, version, oldest, floor, swept) SELECT 1, "
          + VERSION
          + ", "
          + VERSION
          + ", 0, '-' FROM (SELECT 1 AS one) t"
          + " WHERE NOT EXISTS (SELECT 1 FROM {meta})";

  private static final String VERSIONS = "SELECT version, oldest FROM {meta} WHERE one = 1";

  private record Versions(int version, int oldest) {}

  private final ServerErrors errors;
  private final Tables tables;

  ServerSchema(ServerErrors errors, Tables tables) {
    this.errors = errors;
    this.tables = tables;
  }

  /**
   * Makes sure of the database and of the tables; whether they are there, which is not asked with
   * {@link Care#NONE}.
   *
   * @throws SQLException if they are not, and may not be made
   */
  boolean require(Session session, Care care) throws SQLException {
    Optional<String> unfit = tables.dialect().unfit(session);
    if (unfit.isPresent()) {
      throw errors.refused(unfit.get(), null);
    }
    if (care == Care.NONE || isThere(session, care)) {
      return true;
    }
    if (care == Care.VALIDATE) {
      throw errors.refused(
          "has the table "
              + tables.name("meta")
              + " without its row; run what `leasehold doctor --ddl` prints",
          null);
    }
    create(session);
    return isThere(session, Care.VALIDATE);
  }

  private boolean isThere(Session session, Care care) throws SQLException {
    try {
      return requireKnown(session);
    } catch (SQLException e) {
      if (care == Care.CREATE && errors.trouble(e) == Dialect.Trouble.MISSING) {
        return false;
      }
      throw e;
    }
  }

  private void create(Session session) throws SQLException {
    for (String statement : tables.ddl().replaceAll("--[^\n]*", "").split(";", -1)) {
      if (!statement.isBlank()) {
        session.run(statement.strip());
      }
    }
  }

  private boolean requireKnown(Session session) throws SQLException {
    Optional<Versions> found =
        session
            .query(VERSIONS, Map.of(), row -> new Versions(row.getInt(1), row.getInt(2)))
            .stream()
            .findFirst();
    if (found.isPresent() && found.get().oldest() > VERSION) {
      throw tooNew(found.get());
    }
    return found.isPresent();
  }

  /** Which version the tables have. */
  Finding diagnose(Session session) throws SQLException {
    requireKnown(session);
    return new Finding(
        Finding.Level.OK,
        "schema",
        "tables " + tables.prefix() + "_*, version " + VERSION + " or one that goes with it");
  }

  private StoreException tooNew(Versions versions) {
    return errors.refused(
        "has tables of version "
            + versions.version()
            + ", but this version of Leasehold knows only "
            + VERSION
            + "; upgrade it",
        null);
  }
}
