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
  private final Joining joining;

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

  /**
   * Of what is not found, or in doubt, an attempt may be on its way: the id is buried, so that it
   * finds its end. Who gives up by the thousands was found, and leaves nothing.
   */
  @Override
  public boolean withdraw(Limit limit, Ticket ticket, boolean underWay) {
    boolean mayLand = underWay || unresolved.contains(ticket.id());
    // First: an attempt that writes its row from now on removes it again.
    boolean waited = places.giveUp(ticket);
    try {
      boolean buried = mayLand || !database.call(limit, session -> leave(session, ticket, waited));
      if (buried) {
        database.transact(limit, session -> bury(session, ticket));
        // An attempt that had the row before may have begun to wait anew.
        places.forget(ticket);
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

  /** What an attempt that had the name's row before has written is there to be removed. */
  private boolean bury(Session session, Ticket ticket) throws SQLException {
    lockedRow(session, ticket);
    boolean found = leave(session, ticket, true);
    LeaseTable.bury(session, ticket);
    return found;
  }

  /** Whether it held or waited. */
  private boolean leave(Session session, Ticket ticket, boolean mayHaveRow) throws SQLException {
    boolean waited = mayHaveRow && QueueTable.leave(session, ticket);
    boolean held = mayHold(session, ticket) && free(session, ticket);
    boolean isTold = held && ticket.mode() == LockMode.EXCLUSIVE;
    if ((waited || held) && !isTold) {
      // Those behind it may be next.
      dialect.tell(session, ticket.name());
    }
    return waited || held;
  }

  /** Looked at before: to free what it does not hold could wait for who has the row locked. */
  private static boolean mayHold(Session session, Ticket ticket) throws SQLException {
    return ticket.mode() != LockMode.EXCLUSIVE
        || LeaseTable.row(session, ticket)
            .filter(row -> row.leaseId().equals(ticket.id().toString()))
            .isPresent();
  }

  private boolean free(Session session, Ticket ticket) throws SQLException {
    return ticket.mode() == LockMode.EXCLUSIVE
        ? dialect.free(session, ticket)
        : LeaseTable.freeShare(session, ticket);
  }

  @Override
  public boolean free(Limit limit, Ticket ticket) {
    unresolved.remove(ticket.id());
    boolean freed = database.call(limit, session -> free(session, ticket));
    boolean tells = freed && ticket.mode() != LockMode.EXCLUSIVE;
    // Its row among those who wait was left behind, so that the grant was one statement.
    boolean leaves = places.forget(ticket);
    if (tells || leaves) {
      afterwards(
          limit,
          "a place is left, or a waiter not told",
          session -> {
            if (leaves) {
              QueueTable.leave(session, ticket);
            }
            if (tells) {
              dialect.tell(session, ticket.name());
            }
            return true;
          });
    }
    return freed;
  }

  /** What is done beside an answer that is known does not change it: what is left lapses. */
  private void afterwards(Limit limit, String failed, Session.Work<Boolean> work) {
    try {
      database.callUnlessLocked(limit, work);
    } catch (StoreException | ServerDatabase.RowLocked e) {
      System.getLogger(ServerVerbs.class.getName()).log(System.Logger.Level.DEBUG, failed, e);
    }
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
    boolean broken = database.call(limit, session -> LeaseTable.breakLease(session, name, number));
    if (broken) {
      afterwards(
          limit,
          "a waiter is not told",
          session -> {
            dialect.tell(session, name);
            return true;
          });
    }
    return broken;
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
