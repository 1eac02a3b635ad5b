package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.jdbc.Dialect.Trouble;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What the errors of a database server mean for a request. */
final class ServerErrors {
  private final String server;
  private final Dialect dialect;

  /**
   * Of one server.
   *
   * @param server for messages: without secrets
   */
  ServerErrors(String server, Dialect dialect) {
    this.server = server;
    this.dialect = dialect;
  }

  Trouble trouble(SQLException e) {
    return dialect.trouble(e);
  }

  /** Of a request that had no effect, and never will. */
  StoreException unavailable(String what) {
    return unavailable(what, null);
  }

  private StoreException unavailable(String what, @Nullable SQLException cause) {
    return new StoreException(Failure.UNAVAILABLE, server + " " + what, cause);
  }

  StoreException refused(String what, @Nullable SQLException cause) {
    return new StoreException(Failure.REFUSED, server + " " + what, cause);
  }

  StoreException unknown(Exception cause) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME, server + " did not answer: " + cause.getMessage(), cause);
  }

  /** There is no connection. */
  StoreException notConnected(SQLException e) {
    return switch (dialect.trouble(e)) {
      case FORBIDDEN -> refused("refuses to let us in: " + e.getMessage(), e);
      case MISSING -> refused("has no such database: " + e.getMessage(), e);
      case FULL ->
          unavailable(
              "has no connection left for us: "
                  + e.getMessage()
                  + "; raise its limit of connections, or let fewer clients in",
              e);
      default -> unavailable("cannot be reached: " + e.getMessage(), e);
    };
  }

  /** A pool of the application had none. */
  StoreException noneGiven(SQLException e) {
    return switch (dialect.trouble(e)) {
      case FORBIDDEN, MISSING, FULL -> notConnected(e);
      default ->
          new StoreException(
              Failure.UNAVAILABLE, "the pool gave no connection: " + e.getMessage(), e);
    };
  }

  /** Nor in the time there was. */
  StoreException noneGivenInTime() {
    return new StoreException(
        Failure.UNAVAILABLE,
        "the pool gave no connection in time: raise its size, or find who keeps its connections",
        null);
  }

  /** A statement that had no effect, or none that was committed. */
  StoreException notApplied(SQLException e) {
    return switch (dialect.trouble(e)) {
      case FORBIDDEN ->
          refused("does not allow that: " + e.getMessage() + "; grant it to this user", e);
      case MISSING ->
          refused(
              "lacks our tables: "
                  + e.getMessage()
                  + "; make them by what `leasehold doctor --ddl` prints, or add ?ddl=create",
              e);
      case READ_ONLY ->
          refused("may only be read: " + e.getMessage() + "; connect to the primary", e);
      case BUSY -> unavailable("has the row locked by another transaction: " + e.getMessage(), e);
      case BROKEN -> unavailable("ended the connection: " + e.getMessage(), e);
      case DUPLICATE, FULL, OTHER -> unavailable("failed: " + e.getMessage(), e);
    };
  }
}
