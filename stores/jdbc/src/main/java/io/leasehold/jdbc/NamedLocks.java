package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.spi.Ticket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/**
 * The locks that a server has by itself: of one connection, and free as soon as that ends. Their
 * names are short, or numbers, so a key is a hash; where two lock names have the same one they wait
 * for each other, and nothing worse: who holds what is said by the rows.
 */
interface NamedLocks {
  /**
   * What tells our tables from others on the same server, however they are written.
   *
   * @throws SQLException also where the server is too old for this mode
   */
  String scope(Session session) throws SQLException;

  /** The server's name for the lock of a name. */
  Object key(String scope, String name);

  /** From now on the server ends this connection once nobody has used it for so long. */
  void endIdleAfter(Session session, Duration idle) throws SQLException;

  /** Takes a lock if it is free. */
  boolean tryLock(Session session, Object key) throws SQLException;

  /**
   * Frees the ticket's row if it is still the ticket's, and in any case the lock; in this order for
   * whoever comes next.
   *
   * @return whether the row was the ticket's
   */
  boolean free(Session session, Ticket ticket, Object key) throws SQLException;

  /** Frees a lock of this connection. */
  void unlock(Session session, Object key) throws SQLException;

  /** Those that somebody has. */
  Set<Object> taken(Session session, Collection<Object> keys) throws SQLException;

  /** What this mode needs of the server and of the way to it. */
  Finding diagnose(Session session) throws SQLException;

  static ByteBuffer hash(String scope, String name) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return ByteBuffer.wrap(sha.digest((scope + "\0" + name).getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
