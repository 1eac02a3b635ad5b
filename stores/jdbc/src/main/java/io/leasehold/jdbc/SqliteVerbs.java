package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The verbs on a SQLite file: each one transaction, and one at a time on the whole file. */
final class SqliteVerbs implements Verbs {
  private final Clock clock;
  private final SqliteDatabase database;
  private final SqliteGranting granting;
  private final SqliteRenewing renewing;
  private final Session.Work<List<Finding>> diagnosis;

  SqliteVerbs(
      SqliteDatabase database,
      SqliteStatements statements,
      Session.Work<List<Finding>> diagnosis,
      Clock clock) {
    this.clock = clock;
    this.database = database;
    this.granting = new SqliteGranting(statements);
    this.renewing = new SqliteRenewing(database, statements);
    this.diagnosis = diagnosis;
  }

  @Override
  public Attempt attempt(Limit limit, Ticket ticket) {
    return database.write(limit, session -> granting.attempt(session, ticket));
  }

  @Override
  public boolean withdraw(Limit limit, Ticket ticket, boolean underWay) {
    database.write(
        limit,
        session -> {
          SqliteRows.leave(session, ticket);
          return SqliteRows.free(session, ticket);
        });
    return !underWay;
  }

  @Override
  public boolean free(Limit limit, Ticket ticket) {
    return database.writeSoon(limit, session -> SqliteRows.free(session, ticket));
  }

  @Override
  public void renew(Limit limit, List<Ticket> tickets, BiConsumer<LeaseId, Renewal> each) {
    renewing.renew(limit, tickets, each);
  }

  @Override
  public List<LockSnapshot> list(Limit limit, Optional<String> name) {
    return database.read(limit, session -> Listing.list(session, name));
  }

  @Override
  public boolean breakLease(Limit limit, String name, long number) {
    return database.writeSoon(limit, session -> SqliteRows.breakLease(session, name, number));
  }

  @Override
  public List<Finding> diagnose(Limit limit) {
    return database.read(limit, diagnosis);
  }

  @Override
  public void sweep() {
    try (Limit limit = new Limit(clock, Duration.ZERO)) {
      database.write(
          limit,
          session -> {
            SqliteSweep.run(session);
            return true;
          });
    } catch (StoreException e) {
      Log.debug("not swept", e);
    }
  }

  @Override
  public void close() {
    database.close();
  }
}
