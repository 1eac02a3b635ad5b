package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Ticket;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  private static final String ANSWER = " RETURNING fence, " + NamedLocks.WANTED;
  private static final String MINE = " name = :name AND lease_id <> :id";

  private static final String TAKE = PostgresDialect.GRANT + " WHERE" + MINE + ANSWER;

  /** The lock is asked for once, and before the row. */
  private static final String TRY =
      "WITH tried AS MATERIALIZED (SELECT pg_try_advisory_lock(:key) AS got), taken (fence, wanted) AS ("
          + PostgresDialect.GRANT
          + " FROM tried WHERE got AND"
          + MINE
          + ANSWER
          + ") SELECT got, fence, wanted FROM tried LEFT JOIN taken ON true";

  /**
   * Those who wait are told when both are free, which is when the statement ends: it need not reach
   * the disk. A server that forgets it has forgotten all its sessions, and the next client takes
   * the row, whatever it says.
   */
  private static final String FREE =
      """
      WITH freed AS (
        UPDATE {lock} SET expires = 0 WHERE name = :name AND lease_id = :id AND expires > {now}
        RETURNING wanted_until > {now} AS wanted)
      SELECT pg_advisory_unlock(:key), set_config('synchronous_commit', 'off', true),
        CASE WHEN wanted THEN pg_notify(:channel, ' ' || :name) END
      FROM freed
      """;

  private static final String TAKEN =
      """
      SELECT CAST(classid AS bigint) << 32 | CAST(objid AS bigint) FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """;

  private static final int OLDEST = 140_000;

  private final Tables tables;
  private final PostgresDialect dialect;

  PostgresAdvisoryLocks(Tables tables, PostgresDialect dialect) {
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

  /** One statement: who was told of a lock that is free shall have it soon. */
  @Override
  public Tried tryTake(Session session, Ticket ticket, Object key) throws SQLException {
    Map<String, Object> values = LeaseTable.values(ticket);
    values.put("key", key);
    return session.query(TRY, values, PostgresAdvisoryLocks::tried).get(0);
  }

  private static Tried tried(ResultSet row) throws SQLException {
    long number = row.getLong(2);
    Optional<Dialect.Taken> taken =
        row.wasNull()
            ? Optional.empty()
            : Optional.of(new Dialect.Taken(number, row.getInt(3) > 0));
    return new Tried(row.getBoolean(1), taken);
  }

  @Override
  public Optional<Dialect.Taken> take(Session session, Ticket ticket) throws SQLException {
    return session
        .query(
            TAKE,
            LeaseTable.values(ticket),
            row -> new Dialect.Taken(row.getLong(1), row.getInt(2) > 0))
        .stream()
        .findFirst();
  }

  @Override
  public Row free(Session session, Ticket ticket, Object key) throws SQLException {
    Map<String, Object> values = LeaseTable.values(ticket);
    values.put("key", key);
    values.put("channel", dialect.channel());
    if (!session.query(FREE, values, row -> true).isEmpty()) {
      return Row.FREED;
    }
    unlock(session, key);
    dialect.tell(session, ticket.name());
    return Row.NOT_HELD;
  }

  @Override
  public boolean unlock(Session session, Object key) throws SQLException {
    return session
        .query("SELECT pg_advisory_unlock(:key)", Map.of("key", key), row -> row.getBoolean(1))
        .get(0);
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
