package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import redis.clients.jedis.exceptions.JedisDataException;

/** Makes connections to one server. Thread-safe. */
final class Connections {
  /** How a connection is made: with what security, and how long that may take. */
  @FunctionalInterface
  interface Source {
    /** Connects and authenticates. */
    Link open();
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
  Link open() {
    try {
      return ClientLibrary.JEDIS.use(source::open);
    } catch (StoreException e) {
      throw e;
    } catch (JedisDataException e) {
      throw Link.error(e).asException(server, null);
    } catch (RuntimeException e) {
      // Also what an application's own way to connect throws.
      throw new StoreException(
          Failure.UNAVAILABLE, "cannot connect to " + server + ": " + Reason.of(e), e);
    }
  }

  /** Of a request that was sent, and broke. */
  StoreException unknown(RuntimeException cause) {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME, server + " did not answer: " + Reason.of(cause), cause);
  }
}
