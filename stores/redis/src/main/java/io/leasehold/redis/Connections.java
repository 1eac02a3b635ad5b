package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Makes connections to one server, and reads what they answer. Thread-safe. */
final class Connections {
  /** How a connection is made: with what security, and how long that may take. */
  @FunctionalInterface
  interface Source {
    /** Connects and authenticates. */
    Connection open();
  }

  private final String server;
  private final Source source;

  /**
   * Of one server.
   *
   * @param server for messages: without secrets
   */
  Connections(String server, Source source) {
    this.server = server;
    this.source = source;
  }

  String server() {
    return server;
  }

  /**
   * A new connection.
   *
   * @throws StoreException if there is none to be had
   */
  Connection open() {
    try {
      return source.open();
    } catch (JedisDataException e) {
      throw error(e).asException(server, null);
    } catch (RuntimeException e) {
      // Also what an application's own way to connect throws.
      throw new StoreException(
          Failure.UNAVAILABLE, "cannot connect to " + server + ": " + message(e), e);
    }
  }

  /** Puts a command among those that are sent next. */
  static void write(Connection connection, Command command) {
    connection.sendCommand(command.name(), command.arguments().toArray(byte[][]::new));
  }

  /**
   * Sends what was written, and reads one answer.
   *
   * @throws JedisConnectionException if it does not come
   */
  static @Nullable Object read(Connection connection, Duration within) {
    connection.setSoTimeout((int) Math.max(1, Math.min(Integer.MAX_VALUE, within.toMillis())));
    try {
      return plain(connection.getOne());
    } catch (JedisDataException e) {
      return error(e);
    }
  }

  private static @Nullable Object plain(@Nullable Object reply) {
    if (reply instanceof JedisDataException e) {
      return error(e);
    }
    return reply;
  }

  /** Sends what was written. */
  static void flush(Connection connection) {
    List<Object> none = connection.getMany(0);
    Objects.requireNonNull(none, "nothing was asked for");
  }

  /** Of a request that was sent, and broke. */
  StoreException unknown(RuntimeException cause) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME, server + " did not answer: " + message(cause), cause);
  }

  static ServerError error(JedisDataException e) {
    return new ServerError(message(e));
  }

  /** Ends it at once: nothing that was not sent yet is. */
  static void end(Connection connection) {
    try {
      connection.forceDisconnect();
    } catch (IOException e) {
      System.getLogger(Connections.class.getName())
          .log(System.Logger.Level.DEBUG, "a connection did not close", e);
    }
  }

  private static String message(RuntimeException e) {
    return String.valueOf(e.getMessage());
  }
}
