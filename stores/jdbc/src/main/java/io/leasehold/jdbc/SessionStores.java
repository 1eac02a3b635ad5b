package io.leasehold.jdbc;

import io.leasehold.Trait;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Opens stores whose leases are the server's own locks. */
record SessionStores(
    ServerDatabase database,
    Dialect dialect,
    Tables tables,
    LaneSource source,
    StoreListener listener,
    Clock clock,
    Threads threads) {
  private static final Duration OPENING = Duration.ofSeconds(10);

  /** How many requests run at once. */
  private static final int CALLS = LockSessions.OWN;

  /** How often waiters are asked about who are told: a backstop. */
  private static final Duration POLL = Duration.ofSeconds(1);

  /** A second because the server counts its patience in them, and as much for it to notice. */
  private static final Duration CRASH_EXTRA = LockSessions.MARGIN.plusSeconds(2);

  LockStore open(ServerSchema.Care care) {
    try {
      return opened(care);
    } catch (SQLException e) {
      database.close();
      throw database.errors().notConnected(e);
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  private LockStore opened(ServerSchema.Care care) throws SQLException {
    boolean listens = dialect instanceof PostgresDialect;
    NamedLocks locks =
        dialect instanceof PostgresDialect postgres
            ? new PostgresAdvisoryLocks(tables, postgres)
            : new MySqlNamedLocks(tables.prefix());
    ServerSchema schema = new ServerSchema(database.errors(), tables);
    String scope = scope(locks, schema, care);
    SessionLanes lanes =
        new SessionLanes(source, locks, dialect, database.errors(), clock, threads);
    LockSessions sessions =
        new LockSessions(lanes, database, dialect, locks, listener, clock, threads);
    ServerVerbs rows = new ServerVerbs(database, dialect, schema, clock);
    SessionGrants grants =
        new SessionGrants(rows, database, locks, scope, sessions, clock, threads);
    Optional<NamedLockQueue> queue =
        listens
            ? Optional.empty()
            : Optional.of(new NamedLockQueue(lanes, locks, grants, rows.places(), listener, clock));
    Wakes wakes =
        dialect instanceof PostgresDialect postgres
            ? new PostgresWakes(source, postgres.channel(), listener, threads)
            : queue.map(Wakes.class::cast).orElse(Wakes.NONE);
    // Leases may share connections, which must outlast a caller that has little time.
    Threads patient = new Threads(CALLS);
    SessionVerbs verbs = new SessionVerbs(rows, database, locks, sessions, grants, queue, patient);
    int releases = ThreadLocalRandom.current().nextInt(LeaseRowStore.GRANTS_A_SWEEP);
    return new LeaseRowStore(traits(), clock, verbs, wakes, releases, Optional.of(patient));
  }

  /** Also makes sure of the tables, and that the server can do what this mode needs. */
  private String scope(NamedLocks locks, ServerSchema schema, ServerSchema.Care care) {
    try (Limit limit = new Limit(clock, OPENING)) {
      return database.call(
          limit,
          session -> {
            schema.require(session, care);
            return locks.scope(session);
          });
    }
  }

  private Traits traits() {
    return new Traits(
        dialect.name(),
        Set.of(Trait.FENCING, Trait.LINEARIZABLE),
        Duration.ofSeconds(1),
        Duration.ofDays(1),
        Duration.ofMillis(1),
        new Traits.Poll(POLL, POLL, Traits.Signals.SENT),
        new Traits.Life(Traits.Ends.SESSION, 100, ttl -> CRASH_EXTRA),
        Traits.Calls.BLOCKING);
  }
}
