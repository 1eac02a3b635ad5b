package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/** The verbs on a database server. */
final class ServerVerbs implements Verbs {
  /** How often a name that has just come free is tried again at once. */
  private static final int TRIES = 3;

  private static final Duration SWEEPING = Duration.ofSeconds(2);

  private final ServerDatabase database;
  private final Dialect dialect;
  private final ServerSchema schema;
  private final Clock clock;
  private final PlacesHere places;
  private final ServerRenewing renewing;
  private final Joining joining;
  private final ServerFreeing freeing;

  /** Of which an attempt ended without an answer, so that it may still land. */
  private final Set<LeaseId> unresolved = ConcurrentHashMap.newKeySet();

  ServerVerbs(ServerDatabase database, Dialect dialect, ServerSchema schema, Clock clock) {
    this.schema = schema;
    this.clock = clock;
    this.database = database;
    this.dialect = dialect;
    this.places = new PlacesHere(clock);
    this.renewing = new ServerRenewing(database, places);
    this.joining = new Joining(database, places);
    this.freeing = new ServerFreeing(database, dialect, places, unresolved);
  }

  PlacesHere places() {
    return places;
  }

  Joining joining() {
    return joining;
  }

  @Override
  public Attempt attempt(Limit limit, Ticket ticket) {
    places.attempting(ticket);
    try {
      Attempt told = answer(limit, ticket);
      if (told instanceof Attempt.Granted) {
        // Also where it is told again: who believes that it waits would not renew it.
        places.granted(ticket);
      }
      return told;
    } catch (StoreException e) {
      if (e.failure() == Failure.UNKNOWN_OUTCOME && !places.isGivenUp(ticket)) {
        unresolved.add(ticket.id());
        if (ticket.intent() == Ticket.Intent.QUEUE) {
          places.begin(ticket);
        }
      }
      throw e;
    } finally {
      places.attempted(ticket);
    }
  }

  private Attempt answer(Limit limit, Ticket ticket) {
    try {
      Optional<Attempt> answer =
          ticket.mode() == LockMode.EXCLUSIVE && !(ticket.fair() && places.isWaiting(ticket))
              ? database.callUnlessLocked(limit, session -> alone(limit, session, ticket))
              : Optional.empty();
      if (answer.isEmpty()) {
        return database.transactUnlessLocked(limit, session -> byAllRules(session, ticket));
      }
      if (answer.get() instanceof Attempt.Busy) {
        // It has no turn to wait for: its row among those who wait only says that it is there.
        joining.join(limit, ticket);
      }
      return answer.get();
    } catch (ServerDatabase.RowLocked e) {
      return joining.behindALockedRow(limit, ticket);
    }
  }

  /** As long as the name's own row tells all; empty if it does not. */
  private Optional<Attempt> alone(Limit limit, Session session, Ticket ticket) throws SQLException {
    // What would wait for a row for longer than there is time looks first whether it is held.
    boolean looksFirst =
        dialect.takeWaitsWhileHeld() && limit.left() < 2 * Dialect.LOCK_WAIT.toNanos();
    for (int i = 0; i < TRIES; i++) {
      if (!looksFirst || i > 0) {
        Optional<Dialect.Taken> taken = dialect.take(session, ticket);
        if (taken.isPresent()) {
          return Optional.of(
              new Attempt.Granted(taken.get().number(), ticket.ttl(), taken.get().wanted()));
        }
      }
      Optional<Row> row = LeaseTable.row(session, ticket);
      if (row.isEmpty() || row.get().others() > 0) {
        return Optional.empty();
      }
      if (row.get().leaseId().equals(ticket.id().toString())) {
        return Optional.of(repeated(ticket, row.get()));
      }
      if (row.get().remaining() > 0) {
        return ticket.fair() ? Optional.empty() : Optional.of(busy(row.get()));
      }
    }
    return Optional.of(new Attempt.Busy(LeaseTable.duration(0), ""));
  }

  private static Attempt repeated(Ticket ticket, Row row) {
    return Admission.repeated(ticket, row.fence(), row.remaining(), row.wanted() > 0);
  }

  private static Attempt busy(Row row) {
    return new Attempt.Busy(LeaseTable.duration(row.remaining()), row.holder());
  }

  private Attempt byAllRules(Session session, Ticket ticket) throws SQLException {
    Row row = lockedRow(session, ticket);
    Admission admission =
        new Admission(row, LeaseTable.others(session, List.of(ticket.name())), ticket);
    Optional<Attempt> told = admission.repeated().or(admission::otherKind);
    if (told.isPresent()) {
      return told.get();
    }
    if (admission.isAdmitted()) {
      return granted(session, ticket, row.next(), admission);
    }
    joining.joined(session, ticket, true);
    return admission.refused();
  }

  /** The name's row, locked; made if it is not there. */
  Row lockedRow(Session session, Ticket ticket) throws SQLException {
    return NameRows.locked(session, ticket.name(), dialect);
  }

  private Attempt granted(Session session, Ticket ticket, long number, Admission admission)
      throws SQLException {
    long wanted = admission.wantedFor();
    if (ticket.mode() == LockMode.EXCLUSIVE) {
      LeaseTable.grantAlone(session, ticket, number, admission.othersFor(), wanted);
    } else {
      long others = Math.max(LeaseTable.life(ticket), admission.othersFor());
      LeaseTable.share(session, ticket, number, admission.ended());
      LeaseTable.grantShare(session, ticket, number, others, wanted);
    }
    if (admission.ownPlace().isPresent()) {
      QueueTable.leave(session, ticket);
    }
    if (admission.letsNextIn()) {
      // It may have asked before this one, and was told to wait.
      dialect.tell(session, ticket.name());
    }
    places.forget(ticket);
    return new Attempt.Granted(number, ticket.ttl(), wanted > 0);
  }

  @Override
  public boolean withdraw(Limit limit, Ticket ticket, boolean underWay) {
    return freeing.withdraw(limit, ticket, underWay);
  }

  @Override
  public boolean free(Limit limit, Ticket ticket) {
    return freeing.free(limit, ticket);
  }

  @Override
  public boolean isWaiting(Ticket ticket) {
    return places.isWaiting(ticket);
  }

  @Override
  public void renew(Limit limit, List<Ticket> tickets, BiConsumer<LeaseId, Renewal> each) {
    renewing.renew(limit, tickets, each);
  }

  @Override
  public List<LockSnapshot> list(Limit limit, Optional<String> name) {
    return database.call(limit, session -> ServerListing.list(session, name));
  }

  @Override
  public boolean breakLease(Limit limit, String name, long number) {
    return freeing.breakLease(limit, name, number);
  }

  @Override
  public List<Finding> diagnose(Limit limit) {
    return database.call(
        limit,
        session -> {
          List<Finding> found = new ArrayList<>(dialect.diagnose(session));
          found.add(schema.diagnose(session));
          return found;
        });
  }

  @Override
  public void sweep() {
    database.inBackground(
        () -> {
          try (Limit limit = new Limit(clock, SWEEPING)) {
            database.transact(limit, ServerSweep::run);
          } catch (StoreException e) {
            Log.debug("not swept", e);
          }
        });
  }

  @Override
  public void close() {
    database.close();
  }
}
