package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Clock;
import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
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

  /** Of which an attempt ended without an answer, so that it may still land. */
  private final Set<LeaseId> unresolved = ConcurrentHashMap.newKeySet();

  ServerVerbs(ServerDatabase database, Dialect dialect, ServerSchema schema, Clock clock) {
    this.schema = schema;
    this.clock = clock;
    this.database = database;
    this.dialect = dialect;
    this.places = new PlacesHere(clock);
    this.renewing = new ServerRenewing(database, places);
  }

  PlacesHere places() {
    return places;
  }

  @Override
  public Attempt attempt(Limit limit, Ticket ticket) {
    try {
      Optional<Attempt> answer =
          ticket.mode() == LockMode.EXCLUSIVE && !(ticket.fair() && places.isWaiting(ticket))
              ? database.call(limit, session -> alone(session, ticket))
              : Optional.empty();
      Attempt told =
          answer.orElseGet(() -> database.transact(limit, session -> byAllRules(session, ticket)));
      if (told instanceof Attempt.Granted) {
        // Also where it is told again: who believes that it waits would not renew it.
        places.granted(ticket);
      }
      return told;
    } catch (StoreException e) {
      if (e.failure() == Failure.UNKNOWN_OUTCOME) {
        unresolved.add(ticket.id());
        if (ticket.intent() == Ticket.Intent.QUEUE) {
          places.begin(ticket);
        }
      }
      throw e;
    }
  }

  /** As long as the name's own row tells all; empty if it does not. */
  private Optional<Attempt> alone(Session session, Ticket ticket) throws SQLException {
    for (int i = 0; i < TRIES; i++) {
      Optional<Dialect.Taken> taken = dialect.take(session, ticket);
      if (taken.isPresent()) {
        return Optional.of(
            new Attempt.Granted(taken.get().number(), ticket.ttl(), taken.get().wanted()));
      }
      Optional<Row> row = LeaseTable.row(session, ticket);
      if (row.isEmpty() || row.get().others() > 0) {
        return Optional.empty();
      }
      if (row.get().leaseId().equals(ticket.id().toString())) {
        return Optional.of(repeated(ticket, row.get()));
      }
      if (row.get().remaining() > 0) {
        return ticket.fair() ? Optional.empty() : Optional.of(busy(session, ticket, row.get()));
      }
    }
    return Optional.of(new Attempt.Busy(LeaseTable.duration(0), ""));
  }

  private static Attempt repeated(Ticket ticket, Row row) {
    return Admission.repeated(ticket, row.fence(), row.remaining(), row.wanted() > 0);
  }

  /** It has no turn to wait for: its row among those who wait only says that there is somebody. */
  private Attempt busy(Session session, Ticket ticket, Row row) throws SQLException {
    joinIfDue(session, ticket);
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
    joinIfDue(session, ticket);
    return ticket.fair()
        ? new Attempt.Queued(admission.waitBefore(), admission.holder())
        : new Attempt.Busy(LeaseTable.duration(admission.soonest()), admission.holder());
  }

  /** The name's row, locked; made if it is not there. */
  Row lockedRow(Session session, Ticket ticket) throws SQLException {
    Optional<Row> row = LeaseTable.lockedRow(session, ticket.name(), dialect.lockClause());
    if (row.isEmpty()) {
      LeaseTable.newName(session, ticket.name());
      row = LeaseTable.lockedRow(session, ticket.name(), dialect.lockClause());
    }
    return row.orElseThrow(() -> new SQLException("the new row of a name is not there", "40001"));
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
    places.forget(ticket);
    return new Attempt.Granted(number, ticket.ttl(), wanted > 0);
  }

  /** Takes a place among those who wait, or keeps the one that it has. */
  void joinIfDue(Session session, Ticket ticket) throws SQLException {
    boolean waits = ticket.intent() == Ticket.Intent.QUEUE;
    if (!waits || !Places.isToBeKept(ticket, Math.max(0, places.left(ticket)))) {
      return;
    }
    long life = QueueTable.placeLife(ticket);
    long end = places.endIfWrittenNow(ticket);
    boolean known = places.mayHaveRow(ticket);
    places.begin(ticket);
    if (!known) {
      QueueTable.wait(session, ticket);
    } else if (QueueTable.stay(session, List.of(ticket), life) == 0) {
      QueueTable.leave(session, ticket);
      QueueTable.wait(session, ticket);
    }
    QueueTable.mark(session, List.of(ticket), life, QueueTable.isInTheWay(ticket) ? life : 0);
    if (!places.kept(ticket, end)) {
      // Given up meanwhile.
      QueueTable.leave(session, ticket);
    }
  }

  /**
   * Of what is not found, or in doubt, an attempt may be on its way: the id is buried, so that it
   * finds its end. Who gives up by the thousands was found, and leaves nothing.
   */
  @Override
  public boolean withdraw(Limit limit, Ticket ticket, boolean underWay) {
    boolean mayLand = underWay || unresolved.contains(ticket.id());
    // First: an attempt that writes its row from now on removes it again.
    boolean waited = places.forget(ticket);
    try {
      boolean buried = mayLand || !database.call(limit, session -> leave(session, ticket, waited));
      if (buried) {
        database.transact(limit, session -> bury(session, ticket, waited));
      }
      unresolved.remove(ticket.id());
      return buried;
    } catch (StoreException e) {
      if (waited) {
        places.begin(ticket);
      }
      throw e;
    }
  }

  private boolean bury(Session session, Ticket ticket, boolean waited) throws SQLException {
    lockedRow(session, ticket);
    boolean found = leave(session, ticket, waited);
    LeaseTable.bury(session, ticket);
    return found;
  }

  /** Whether it held or waited. */
  private boolean leave(Session session, Ticket ticket, boolean mayHaveRow) throws SQLException {
    boolean waited = mayHaveRow && QueueTable.leave(session, ticket);
    boolean held = free(session, ticket);
    if (waited && !held) {
      // Those behind it may be next.
      dialect.tell(session, ticket.name());
    }
    return waited || held;
  }

  private boolean free(Session session, Ticket ticket) throws SQLException {
    if (ticket.mode() == LockMode.EXCLUSIVE) {
      return dialect.free(session, ticket);
    }
    boolean freed = LeaseTable.freeShare(session, ticket);
    if (freed) {
      dialect.tell(session, ticket.name());
    }
    return freed;
  }

  @Override
  public boolean free(Limit limit, Ticket ticket) {
    unresolved.remove(ticket.id());
    return database.call(
        limit,
        session -> {
          boolean freed = free(session, ticket);
          // Its row among those who wait was left behind, so that the grant was one statement.
          if (places.mayHaveRow(ticket)) {
            QueueTable.leave(session, ticket);
            places.forget(ticket);
          }
          return freed;
        });
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
    return database.call(
        limit,
        session -> {
          boolean broken = LeaseTable.breakLease(session, name, number);
          if (broken) {
            dialect.tell(session, name);
          }
          return broken;
        });
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
            System.getLogger(ServerVerbs.class.getName())
                .log(System.Logger.Level.DEBUG, "not swept", e);
          }
        });
  }

  @Override
  public void close() {
    database.close();
  }
}
