package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import redis.clients.jedis.exceptions.JedisDataException;

/** Makes connections to one server. Thread-safe. */
final class Connections {
  /** How a connection is made: to where, with what security, and how long that may take. */
  @FunctionalInterface
  interface Source {
    /** Connects and authenticates. */
    Link open();

    /** The same, of one on which a thread waits for what the server sends unasked. */
    default Link openToListen() {
      return open();
    }

    /**
     * Tells where the server is, at first and whenever it has become another one, until that is
     * closed. Connections to elsewhere are of no use then.
     */
    default Following follow(Threads threads, Clock clock, Consumer<String> place) {
      return () -> {};
    }

    /** Whether all that was ever there is one server: another one lacks what was granted last. */
    default boolean isOneServer() {
      return true;
    }
  }

  /** What follows a server until it is closed. */
  @FunctionalInterface
  interface Following extends AutoCloseable {
    @Override
    void close();
  }

  private final String server;
  private final Source source;
  private final BooleanSupplier lasting;

  /**
   * Of one server.
   *
   * @param server for messages: without secrets
   */
  Connections(String server, Source source) {
    this(server, source, () -> false);
  }

  private Connections(String server, Source source, BooleanSupplier lasting) {
    this.server = server;
    this.source = source;
    this.lasting = lasting;
  }

  /** Whether they lead to what forgets nothing by a restart. Known since the first of them. */
  boolean isLasting() {
    return lasting.getAsBoolean();
  }

  String server() {
    return server;
  }

  /**
   * The same, only while the server certainly keeps leases of this ttl that it granted: see {@link
   * ServerMemory}. Each connection is checked, and a restart ends all connections.
   */
  Connections remembering(Duration ttl) {
    ServerMemory memory = new ServerMemory(ttl);
    return new Connections(
        server,
        new Source() {
          @Override
          public Link open() {
            return remembering(source.open());
          }

          @Override
          public Link openToListen() {
            return remembering(source.openToListen());
          }

          private Link remembering(Link made) {
            try {
              memory.require(made, server);
              return made;
            } catch (RuntimeException | Error e) {
              made.end();
              throw e;
            }
          }

          @Override
          public Following follow(Threads threads, Clock clock, Consumer<String> place) {
            return source.follow(threads, clock, place);
          }
        },
        () -> source.isOneServer() && memory.isLasting());
  }

  /**
   * A new connection.
   *
   * @throws StoreException if there is none to be had
   */
  Link open() {
    return opened(source::open);
  }

  /** As {@link #open}, see {@link Source#openToListen}. */
  Link openToListen() {
    return opened(source::openToListen);
  }

  private Link opened(Supplier<Link> way) {
    try {
      return ClientLibrary.JEDIS.use(way);
    } catch (StoreException e) {
      throw e;
    } catch (JedisDataException e) {
      throw Link.error(e).asException(server, null);
    } catch (RuntimeException | Error e) {
      // Also what an application's own way to connect throws.
      throw new StoreException(
          Failure.UNAVAILABLE, "cannot connect to " + server + ": " + Reason.of(e), e);
    }
  }

  /** See {@link Source#follow}. */
  Following follow(Threads threads, Clock clock, Consumer<String> place) {
    return source.follow(threads, clock, place);
  }

  /** Of a request that was sent, and broke. */
  StoreException unknown(Throwable cause) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME, server + " did not answer: " + Reason.of(cause), cause);
  }
}
