package io.leasehold.jdbc;

/** The connections to one database, each for one request at a time. Thread-safe. */
interface Lanes extends AutoCloseable {
  /**
   * A connection for one request, which is alone on it.
   *
   * @throws io.leasehold.StoreException if there is none to be had in time
   */
  Session take(Limit limit);

  /** The request is over, and left nothing behind on the connection. */
  void giveBack(Session session);

  /** The connection is in an unknown state. */
  void discard(Session session);

  /** Ends the connections that are not in use; the others end with their request. Idempotent. */
  @Override
  void close();
}
