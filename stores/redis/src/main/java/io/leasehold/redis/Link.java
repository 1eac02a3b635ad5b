package io.leasehold.redis;

import io.leasehold.redis.Command.Name;
import io.leasehold.spi.support.Log;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** One connection to a server. */
final class Link {
  /** One that was idle for longer is asked whether it is still there. */
  private static final long TRUSTED_NANOS = Duration.ofSeconds(5).toNanos();

  /** One that was idle for longer is ended, before the server or something on the way does that. */
  private static final long LONGEST_IDLE_NANOS = Duration.ofSeconds(15).toNanos();

  private static final long ANSWER_NANOS = Duration.ofSeconds(1).toNanos();

  private final Connection connection;
  private final Closeable socket;

  /** When it was put aside; guarded by the wire that it belongs to. */
  long idleSince;

  /** Where it leads to; empty if there is one place only. */
  private String place = "";

  /**
   * Of a connection of Jedis.
   *
   * @param socket what ends it at once, so that nothing goes out that was not sent
   */
  Link(Connection connection, Closeable socket) {
    this.connection = connection;
    this.socket = socket;
  }

  /** Says where it leads to, of several places. */
  Link leadingTo(String where) {
    place = where;
    return this;
  }

  /** Whether it leads there, as far as is known. */
  boolean leadsTo(String where) {
    return place.isEmpty() || where.isEmpty() || place.equals(where);
  }

  /** Puts a command among those that are sent next. */
  void write(Command command) {
    ProtocolCommand name = command.name()::bytes;
    connection.sendCommand(name, command.arguments().toArray(byte[][]::new));
  }

  /**
   * Sends what was written, and reads one answer.
   *
   * @throws JedisConnectionException if it does not come
   */
  @Nullable Object read(Duration within) {
    limit(within);
    try {
      Object reply = connection.getOne();
      return reply instanceof JedisDataException e ? error(e) : reply;
    } catch (JedisDataException e) {
      return error(e);
    }
  }

  /**
   * Whether it may be used after it was idle; the server is asked until then, and a second at most.
   */
  boolean isThere(long now, long end) {
    long idle = now - idleSince;
    return idle < TRUSTED_NANOS
        || (idle < LONGEST_IDLE_NANOS && answers(Math.min(end - now, ANSWER_NANOS)));
  }

  private boolean answers(long withinNanos) {
    try {
      write(Command.of(Name.PING));
      return !(read(Duration.ofNanos(withinNanos)) instanceof ServerError);
    } catch (JedisException e) {
      return false;
    }
  }

  /** How long a read may take. */
  void limit(Duration within) {
    connection.setSoTimeout((int) Math.max(1, Math.min(Integer.MAX_VALUE, within.toMillis())));
  }

  /** Sends what was written. */
  void flush() {
    List<Object> none = connection.getMany(0);
    Objects.requireNonNull(none, "nothing was asked for");
  }

  /** Reads what the server sends unasked. */
  Object next() {
    return connection.getUnflushedObject();
  }

  static ServerError error(JedisDataException e) {
    return new ServerError(String.valueOf(e.getMessage()));
  }

  /** Ends it at once: nothing that was not sent yet is. */
  void end() {
    try {
      socket.close();
    } catch (IOException e) {
      Log.debug("a connection did not close", e);
    }
  }
}
