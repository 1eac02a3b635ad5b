package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.support.Log;
import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.commons.pool2.PooledObjectFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** One connection to a server. */
final class Link {
  /** One that was idle for longer is asked whether it is still there. */
  private static final long TRUSTED_NANOS = Duration.ofSeconds(5).toNanos();

  /** One that was idle for longer is ended, before the server or something on the way does that. */
  static final long LONGEST_IDLE_NANOS = Duration.ofSeconds(15).toNanos();

  private static final long ANSWER_NANOS = Duration.ofSeconds(1).toNanos();

  private final Connection connection;
  private final Closeable socket;

  /** What is sent next; null if Jedis sends it. */
  private final @Nullable Outgoing outgoing;

  /** How long a read may take, in milliseconds; 0: as the connection was made. */
  private int limit;

  private volatile boolean ended;

  /** When it was put aside; guarded by the wire that it belongs to. */
  long idleSince;

  /** Where it leads to; empty if there is one place only. */
  private String place = "";

  private Link(Connection connection, Closeable socket, @Nullable Outgoing outgoing) {
    this.connection = connection;
    this.socket = socket;
    this.outgoing = outgoing;
  }

  /**
   * Of a connection of Jedis, the socket of which is not known.
   *
   * @param end ends it at once, so that nothing goes out that was not sent
   */
  Link(Connection connection, Closeable end) {
    this(connection, end, null);
  }

  /**
   * Of a connection of Jedis, which logs in and reads.
   *
   * @param socket that it was made of; commands are written to it
   * @throws JedisConnectionException if it is closed
   */
  static Link of(Connection connection, Socket socket) {
    try {
      return new Link(connection, socket, new Outgoing(socket.getOutputStream()));
    } catch (IOException e) {
      throw new JedisConnectionException(e);
    }
  }

  /**
   * A new one, as a pool of the application makes its own.
   *
   * @param factory of {@link Connection}, or of {@link Jedis}, which has one
   */
  static Link of(PooledObjectFactory<?> factory) {
    try {
      Object made = factory.makeObject().getObject();
      Connection connection =
          made instanceof Jedis jedis ? jedis.getConnection() : (Connection) made;
      return endable(connection);
    } catch (JedisException | StoreException e) {
      throw e;
    } catch (Exception e) {
      throw new JedisConnectionException("cannot connect", e);
    }
  }

  private static Link endable(Connection connection) {
    try {
      return new Link(connection, connection::forceDisconnect);
    } catch (NoSuchMethodError e) {
      // It could only be ended after it had sent what was not sent yet
      connection.disconnect();
      throw new StoreException(
          Failure.REFUSED,
          "connections of a pool can be used since Jedis 7; write"
              + " RedisStores.at(RedisAddress.of(SERVER, CONFIG)) with what it was made of",
          e);
    }
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

  /**
   * Lets one thread read from it and from others; no thread waits for it any more.
   *
   * @param ready called on that thread when there is something to {@link #take}
   * @return false if a thread of its own has to read from it
   * @throws JedisConnectionException if that cannot be done
   */
  boolean share(Runnable ready) {
    if (!(socket instanceof ChannelSocket channel)) {
      return false;
    }
    try {
      channel.share(SharedReader.OF_ALL, ready);
      return true;
    } catch (IOException e) {
      throw new JedisConnectionException(e);
    }
  }

  /**
   * Takes what has come on a shared connection.
   *
   * @throws JedisConnectionException if nothing will come any more
   */
  void take() {
    try {
      shared().take();
    } catch (IOException e) {
      throw new JedisConnectionException(e);
    }
  }

  /** Whether a shared connection has a whole answer, so that {@link #receive} does not wait. */
  boolean hasAnswer() {
    return shared().hasAnswer();
  }

  private ChannelSocket shared() {
    return (ChannelSocket) socket;
  }

  /** Puts a command among those that are sent next. */
  void write(Command command) {
    if (outgoing == null) {
      connection.sendCommand(command.name()::bytes, command.arguments().toArray(new byte[0][]));
    } else {
      outgoing.add(command);
    }
  }

  /**
   * Sends what was written, and reads one answer.
   *
   * @throws JedisConnectionException if it does not come
   */
  @Nullable Object read(Duration within) {
    return read(within.toNanos());
  }

  /** As {@link #read(Duration)}, in nanoseconds. */
  @Nullable Object read(long within) {
    limit(within / 1_000_000);
    flush();
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
      return !(read(withinNanos) instanceof ServerError);
    } catch (RuntimeException | Error e) {
      // Whatever it is, it is not used
      return false;
    }
  }

  /** How long a read may take. */
  void limit(Duration within) {
    limit(within.toMillis());
  }

  /**
   * From now on the server sends messages, which one thread waits for without a time limit, by
   * {@link #message} and {@link #next}.
   */
  void listen() {
    limit = 0;
    connection.setSoTimeout(0);
    if (socket instanceof ChannelSocket channel) {
      channel.listen();
    }
  }

  private void limit(long millis) {
    int timeout = (int) Math.max(1, Math.min(Integer.MAX_VALUE, millis));
    if (timeout != limit) {
      limit = timeout;
      connection.setSoTimeout(timeout);
    }
  }

  /** Sends what was written. */
  void flush() {
    if (outgoing == null) {
      List<Object> none = connection.getMany(0);
      Objects.requireNonNull(none, "nothing was asked for");
      return;
    }
    try {
      outgoing.send();
    } catch (IOException e) {
      throw new JedisConnectionException(e);
    }
  }

  /**
   * Sends commands, while another thread reads, and may end it.
   *
   * @throws JedisConnectionException if they cannot be sent
   */
  void send(List<Command> commands) {
    if (!ended) {
      commands.forEach(this::write);
      flush();
    }
    if (ended) {
      // Jedis connects anew to send, and nothing would read there
      end();
      throw new JedisConnectionException("the connection was ended");
    }
  }

  /** Reads one answer, and sends nothing. */
  @Nullable Object receive() {
    try {
      Object reply = next();
      return reply instanceof JedisDataException e ? error(e) : reply;
    } catch (JedisDataException e) {
      return error(e);
    }
  }

  /**
   * Waits for what the server sends, and reads it if it is a message on this channel. Jedis would
   * enter 47 methods more for that, and in a process that has slept each is slow.
   *
   * @return null if it is something else, for {@link #next}, or was not looked at
   */
  byte @Nullable [] message(Subscription channel) {
    if (!(socket instanceof ChannelSocket own)) {
      return null;
    }
    try {
      return own.textAfter(channel.head());
    } catch (IOException e) {
      throw new JedisConnectionException(e);
    }
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
    ended = true;
    try {
      socket.close();
    } catch (IOException e) {
      Log.debug("a connection did not close", e);
    }
  }
}
