package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Advisory locks of a PostgreSQL session, version 14 or newer; never the form that blocks. */
final class PostgresAdvisoryLocks implements NamedLocks {
  /**
   * Idle ends a connection whose client is silent; the others one whose client's host is gone while
   * the server answers. They do nothing where there is no TCP.
   */
  private static final String SETTINGS =
      """
      SELECT set_config('idle_session_timeout', :idle, false),
        set_config('tcp_user_timeout', :idle, false),
        set_config('tcp_keepalives_idle', '5', false),
        set_config('tcp_keepalives_interval', '1', false),
        set_config('tcp_keepalives_count', '5', false)
      """;

  private static final String FREE =
      """
      WITH freed AS (
        UPDATE {lock} SET expires = {now} WHERE name = :name AND lease_id = :id AND expires > {now}
        RETURNING wanted_until > {now} AS wanted)
      SELECT pg_advisory_unlock(:key), (SELECT count(*) FROM freed),
        coalesce((SELECT wanted FROM freed), true)
      """;

  private static final String TAKEN =
      """
      SELECT CAST(classid AS bigint) << 32 | CAST(objid AS bigint) FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """;

  private static final int OLDEST = 140_000;

  private record Freed(boolean row, boolean wanted) {}

  private final Tables tables;
  private final Dialect dialect;

  PostgresAdvisoryLocks(Tables tables, Dialect dialect) {
    this.tables = tables;
    this.dialect = dialect;
  }

  /** The table itself, whatever path it was found on. Its locks are of one database anyway. */
  @Override
  public String scope(Session session) throws SQLException {
    if (Integer.parseInt(Dialect.text(session, "SHOW server_version_num")) < OLDEST) {
      throw new StoreException(
          Failure.REFUSED,
          "mode=session needs PostgreSQL 14 or newer, which ends idle sessions: use mode=lease",
          null);
    }
    return session
        .query(
            "SELECT CAST(CAST(:relation AS regclass) AS oid)",
            Map.of("relation", tables.name("lock")),
            row -> String.valueOf(row.getString(1)))
        .get(0);
  }

  @Override
  public Object key(String scope, String name) {
    return NamedLocks.hash(scope, name).getLong();
  }

  @Override
  public void endIdleAfter(Session session, Duration idle) throws SQLException {
    session.query(SETTINGS, Map.of("idle", String.valueOf(idle.toMillis())), row -> true);
  }

  @Override
  public boolean tryLock(Session session, Object key) throws SQLException {
    return session
        .query("SELECT pg_try_advisory_lock(:key)", Map.of("key", key), row -> row.getBoolean(1))
        .get(0);
  }

  /** Those who wait are told when both are free, which is when the statement ends. */
  @Override
  public boolean free(Session session, Ticket ticket, Object key) throws SQLException {
    Map<String, Object> values = new HashMap<>(LeaseTable.values(ticket));
    values.put("key", key);
    Freed freed =
        session.query(FREE, values, row -> new Freed(row.getInt(2) > 0, row.getBoolean(3))).get(0);
    if (freed.wanted()) {
      dialect.tell(session, ticket.name());
    }
    return freed.row();
  }

  @Override
  public void unlock(Session session, Object key) throws SQLException {
    session.query("SELECT pg_advisory_unlock(:key)", Map.of("key", key), row -> true);
  }

  @Override
  public Set<Object> taken(Session session, Collection<Object> keys) throws SQLException {
    List<Object> all = session.query(TAKEN, Map.of(), row -> (Object) row.getLong(1));
    Set<Object> taken = new HashSet<>(keys);
    taken.retainAll(new HashSet<>(all));
    return taken;
  }

  @Override
  public Finding diagnose(Session session) throws SQLException {
    long behind = session.query("SELECT pg_backend_pid()", Map.of(), row -> row.getLong(1)).get(0);
    long pid = session.connection().unwrap(org.postgresql.PGConnection.class).getBackendPID();
    return behind == pid
        ? new Finding(
            Level.WARNING,
            "session",
            "advisory locks live with one connection: not behind a pooler that gives it to others"
                + " (PgBouncer's transaction mode), and a failover frees them; let the data refuse"
                + " lower tokens")
        : new Finding(
            Level.ERROR,
            "session",
            "there is a pooler between: unless it keeps a connection for each client (PgBouncer's"
                + " session mode) locks are lost or kept at random; use the server's own port, or"
                + " mode=lease");
  }
}
