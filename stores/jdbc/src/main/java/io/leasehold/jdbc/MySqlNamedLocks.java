package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** {@code GET_LOCK} of MySQL and MariaDB: of the whole server, whatever the database. */
final class MySqlNamedLocks implements NamedLocks {
  private static final int KEY_BYTES = 20;

  /**
   * The server gives the lock to who waits for it in the step in which it comes free. If no client
   * waited, it is free after that, and the row is freed too: {@link #FREED}. Else the row stays as
   * it is: the client that got the lock shall not wait for the row to reach the disk before it can
   * write its own lease into it.
   */
  private static final String FREE =
      """
      UPDATE {lock} SET expires = CASE LAST_INSERT_ID(1 + IS_FREE_LOCK(CONCAT(:key,
          SUBSTRING(COALESCE(RELEASE_LOCK(:key), 0), 2)))) WHEN 2 THEN 0 ELSE expires END
      WHERE name = :name AND lease_id = :id AND expires > {now}
      """;

  private static final String TAKE = MySqlDialect.takeOver(NamedLocks.WANTED);

  private static final long FREED = 2;

  private final String tables;

  MySqlNamedLocks(String tables) {
    this.tables = tables;
  }

  /** In lower case: names of tables may differ by case alone, or not. */
  @Override
  public String scope(Session session) throws SQLException {
    String named =
        tables.contains(".") ? tables : Dialect.text(session, "SELECT DATABASE()") + "." + tables;
    return named.toLowerCase(Locale.ROOT);
  }

  @Override
  public Object key(String scope, String name) {
    return "lh:" + HexFormat.of().formatHex(NamedLocks.hash(scope, name).array(), 0, KEY_BYTES);
  }

  @Override
  public void endIdleAfter(Session session, Duration idle) throws SQLException {
    session.run("SET SESSION wait_timeout = " + idle.plusMillis(999).toSeconds());
  }

  @Override
  public Tried tryTake(Session session, Ticket ticket, Object key) throws SQLException {
    return await(session, key, 0) ? new Tried(true, take(session, ticket)) : Tried.BUSY;
  }

  @Override
  public Optional<Dialect.Taken> take(Session session, Ticket ticket) throws SQLException {
    return MySqlDialect.taken(session.updateForNumber(TAKE, LeaseTable.values(ticket)));
  }

  /** Waits in the server's queue. */
  static boolean await(Session session, Object key, int seconds) throws SQLException {
    return session
        .query(
            "SELECT GET_LOCK(:key, :seconds)",
            Map.of("key", key, "seconds", seconds),
            row -> row.getInt(1) == 1)
        .get(0);
  }

  /** A driver may be told not to count a row that stays as it is; but then the lock is gone. */
  @Override
  public Row free(Session session, Ticket ticket, Object key) throws SQLException {
    Map<String, Object> values = new HashMap<>(LeaseTable.values(ticket));
    values.put("key", key);
    OptionalLong freed = session.updateForNumber(FREE, values);
    if (freed.isEmpty() && unlock(session, key)) {
      return Row.NOT_HELD;
    }
    return freed.orElse(0) == FREED ? Row.FREED : Row.LEFT;
  }

  @Override
  public boolean unlock(Session session, Object key) throws SQLException {
    return session
        .query("SELECT RELEASE_LOCK(:key)", Map.of("key", key), row -> row.getInt(1) == 1)
        .get(0);
  }

  @Override
  public Set<Object> taken(Session session, Collection<Object> keys) throws SQLException {
    Set<Object> taken = new HashSet<>();
    for (Object key : keys) {
      if (session
          .query("SELECT IS_FREE_LOCK(:key)", Map.of("key", key), row -> row.getInt(1) == 0)
          .get(0)) {
        taken.add(key);
      }
    }
    return taken;
  }

  @Override
  public Finding diagnose(Session session) {
    return new Finding(
        Level.WARNING,
        "session",
        "named locks live on one node and with one connection: not for Galera, Group Replication or"
            + " a proxy that shares connections, and a failover frees them; let the data refuse lower"
            + " tokens");
  }
}
