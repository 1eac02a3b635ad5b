package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.jdbc.Dialect.Trouble;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** What the errors of a database server mean for a request. */
final class ServerErrors {
  /** How many causes of causes are looked at: they could be a ring. */
  private static final int DEEPEST = 20;

  /** What drivers say where the server has none. */
  private static final String NO_TLS =
      "(?is).*(does not support SSL|ssl not enabled|SSL connection required|TLS is enabled by).*";

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
        Failure.UNKNOWN_OUTCOME, server + " did not answer: " + reason(cause), cause);
  }

  /** What went wrong, in one line: the drivers tell the why only by the deepest cause. */
  static String reason(Throwable e) {
    Throwable deepest = e;
    for (int i = 0; i < DEEPEST && deepest.getCause() != null; i++) {
      deepest = deepest.getCause();
    }
    String what = line(e);
    String why = line(deepest);
    return what.contains(why) ? what : what.replaceFirst("\\.$", "") + ": " + why;
  }

  private static String line(Throwable e) {
    String first = String.valueOf(e.getMessage()).strip().lines().findFirst().orElse("null");
    if (e instanceof UnknownHostException) {
      return "unknown host " + first.replaceFirst(":.*", "");
    }
    return first.equals("null") ? e.getClass().getSimpleName() : first;
  }

  /** Whether one of us does not trust the other, or has no TLS. */
  private boolean isTls(SQLException e) {
    Throwable cause = e;
    for (int i = 0; i < DEEPEST && cause != null; i++, cause = cause.getCause()) {
      // But not a handshake that was cut
      if (cause instanceof GeneralSecurityException
          || cause instanceof SSLPeerUnverifiedException
          || String.valueOf(cause.getMessage()).matches(NO_TLS)) {
        return true;
      }
    }
    return false;
  }

  /** There is no connection. */
  StoreException notConnected(SQLException e) {
    if (isTls(e)) {
      return refused("and we do not agree on TLS: " + reason(e) + "; " + dialect.tlsAdvice(), e);
    }
    return switch (dialect.trouble(e)) {
      case FORBIDDEN -> refused("refuses to let us in: " + reason(e), e);
      case MISSING -> refused("has no such database: " + reason(e), e);
      case FULL ->
          unavailable(
              "has no connection left for us: "
                  + reason(e)
                  + "; raise its limit of connections, or let fewer clients in",
              e);
      default -> unavailable("cannot be reached: " + reason(e), e);
    };
  }

  /** A pool of the application had none. */
  StoreException noneGiven(SQLException e) {
    return switch (dialect.trouble(e)) {
      case FORBIDDEN, MISSING, FULL -> notConnected(e);
      default ->
          new StoreException(Failure.UNAVAILABLE, "the pool gave no connection: " + reason(e), e);
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
      case FORBIDDEN -> refused("does not allow that: " + reason(e) + "; grant it to this user", e);
      case MISSING ->
          refused(
              "lacks our tables: "
                  + reason(e)
                  + "; make them by what `leasehold doctor --ddl` prints, or add ?ddl=create",
              e);
      case READ_ONLY -> refused("may only be read: " + reason(e) + "; connect to the primary", e);
      case BUSY, LOCKED ->
          unavailable("has the row locked by another transaction: " + reason(e), e);
      case BROKEN -> unavailable("ended the connection: " + reason(e), e);
      case DUPLICATE, FULL, OTHER -> unavailable("failed: " + reason(e), e);
    };
  }
}
