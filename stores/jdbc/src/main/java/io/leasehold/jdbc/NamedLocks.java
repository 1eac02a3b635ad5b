package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.LockNames;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/**
 * The locks that a server has by itself: of one connection, and free as soon as that ends. Their
 * names are short, or numbers, so a key is a hash; where two lock names have the same one they wait
 * for each other, and nothing worse: who holds what is said by the rows.
 */
interface NamedLocks {
  /** Whether another ticket waits: asked with the grant, for who is granted has waited. */
  String WANTED =
      """
      CASE WHEN wanted_until > {now} AND EXISTS (SELECT 1 FROM {queue} w WHERE w.name = :name
        AND w.lease_id <> :id AND w.expires > {now}) THEN 1 ELSE 0 END""";

  /**
   * What tells our tables from others on the same server, however they are written.
   *
   * @throws SQLException also where the server is too old for this mode
   */
  String scope(Session session) throws SQLException;

  /** The server's name for the lock of a name. */
  Object key(String scope, String name);

  /** From now on the server ends this connection once no request has used it for so long. */
  void endIdleAfter(Session session, Duration idle) throws SQLException;

  /**
   * What became of a lock that was asked for.
   *
   * @param locked whether it is there
   * @param taken empty also if there is no row, or the ticket was granted it before
   */
  record Tried(boolean locked, Optional<Dialect.Taken> taken) {
    static final Tried BUSY = new Tried(false, Optional.empty());
  }

  /** What became of the row of a lease that was let go. */
  enum Row {
    /** It says so. */
    FREED,
    /** It is left to who has got the lock, and will write it. */
    LEFT,
    /** It was not the lease's any more. */
    NOT_HELD
  }

  /**
   * Takes a lock if it is free, and with it the row. If this fails the lock may be there.
   *
   * @throws SQLException also if the lock is there and the row is not
   */
  Tried tryTake(Session session, Ticket ticket, Object key) throws SQLException;

  /**
   * Gives the name's next number to the ticket, whose lock this connection has: whatever the row
   * says, for the lock decides. Empty if there is no row, or the ticket was granted it before.
   */
  Optional<Dialect.Taken> take(Session session, Ticket ticket) throws SQLException;

  /** Frees the lock, and the ticket's row so that the next holder need not wait for that. */
  Row free(Session session, Ticket ticket, Object key) throws SQLException;

  /** Frees a lock of this connection; whether it was there. */
  boolean unlock(Session session, Object key) throws SQLException;

  /** Those that some connection has. */
  Set<Object> taken(Session session, Collection<Object> keys) throws SQLException;

  /** What this mode needs of the server and of the way to it. */
  Finding diagnose(Session session) throws SQLException;

  static ByteBuffer hash(String scope, String name) {
    return ByteBuffer.wrap(LockNames.sha256(scope + "\0" + name));
  }
}
