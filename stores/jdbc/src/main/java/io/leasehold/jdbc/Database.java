package io.leasehold.jdbc;

import io.leasehold.StoreException;
import java.sql.SQLException;

/** Runs transactions, each in bounded time. Thread-safe. */
interface Database extends AutoCloseable {
  /** What is done in a transaction. */
  interface Work<T> {
    T run(Session session) throws SQLException;
  }

  /**
   * Runs a transaction that may change rows; no other does meanwhile.
   *
   * @throws StoreException UNKNOWN_OUTCOME only if the commit failed in a way that leaves it open
   */
  <T> T write(Limit limit, Work<T> work);

  /** Runs statements that only read. */
  <T> T read(Limit limit, Work<T> work);

  /** Ends the connections, in bounded time. Idempotent. */
  @Override
  void close();
}
