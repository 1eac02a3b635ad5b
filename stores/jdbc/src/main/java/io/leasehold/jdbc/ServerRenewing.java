package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.jdbc.LeaseTable.Other;
import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/*
 * Leases are renewed many in one transaction, which passes over the rows that another transaction
 * has locked: a guarded lease's business transaction may take its time, and so many others must not
 * wait for it.
 */

/** Renews leases and keeps waiters' places, a batch at a time. */
final class ServerRenewing {
  /**
   * How many tickets are renewed in one transaction, of four statements: as many as come at once.
   */
  static final int CHUNK = 5_000;

  private final ServerDatabase database;
  private final PlacesHere places;

  ServerRenewing(ServerDatabase database, PlacesHere places) {
    this.database = database;
    this.places = places;
  }

  void renew(Limit limit, List<Ticket> all, BiConsumer<LeaseId, Renewal> each) {
    for (int from = 0; from < all.size(); from += CHUNK) {
      List<Ticket> chunk = all.subList(from, Math.min(all.size(), from + CHUNK));
      Map<LeaseId, Renewal> answers = new LinkedHashMap<>();
      renew(limit, chunk.stream().filter(places::isWaiting).toList(), answers, this::poll);
      List<Ticket> held = chunk.stream().filter(t -> !answers.containsKey(t.id())).toList();
      renew(limit, of(held, true), answers, this::renewAlone);
      renew(limit, of(held, false), answers, this::renewShares);
      answers.forEach(each);
    }
  }

  private static List<Ticket> of(List<Ticket> tickets, boolean alone) {
    return tickets.stream().filter(t -> (t.mode() == LockMode.EXCLUSIVE) == alone).toList();
  }

  /** One kind of batch. */
  private interface Batch {
    void run(Limit limit, List<Ticket> tickets, Map<LeaseId, Renewal> answers);
  }

  private static void renew(
      Limit limit, List<Ticket> tickets, Map<LeaseId, Renewal> answers, Batch batch) {
    if (tickets.isEmpty()) {
      return;
    }
    try {
      batch.run(limit, tickets, answers);
    } catch (StoreException e) {
      tickets.forEach(ticket -> answers.putIfAbsent(ticket.id(), new Renewal.Unknown(e)));
    }
  }

  // ---- leases

  private void renewAlone(Limit limit, List<Ticket> tickets, Map<LeaseId, Renewal> answers) {
    renewUnlocked(
        limit,
        tickets,
        answers,
        (session, rest) -> {
          Map<String, RenewalTable.Held> mine =
              byId(RenewalTable.lockAlone(session, LeaseTable.names(rest)), rest);
          for (List<Ticket> same : byTtl(rest, mine)) {
            RenewalTable.renewAlone(session, same);
          }
          return mine;
        },
        (session, rest) -> byId(RenewalTable.alone(session, LeaseTable.names(rest)), rest));
  }

  private void renewShares(Limit limit, List<Ticket> tickets, Map<LeaseId, Renewal> answers) {
    renewUnlocked(
        limit,
        tickets,
        answers,
        (session, rest) -> {
          List<String> unlocked = RenewalTable.lockNames(session, LeaseTable.names(rest));
          if (unlocked.isEmpty()) {
            return Map.of();
          }
          Map<String, RenewalTable.Held> mine = byId(RenewalTable.shares(session, unlocked), rest);
          for (List<Ticket> same : byTtl(rest, mine)) {
            RenewalTable.renewShares(session, same);
            QueueTable.mark(session, same, 0, LeaseTable.life(same.get(0)));
          }
          return mine;
        },
        (session, rest) -> byId(RenewalTable.shares(session, LeaseTable.names(rest)), rest));
  }

  /** What is held by tickets of a batch, by their ids. */
  private interface Lookup {
    Map<String, RenewalTable.Held> of(Session session, List<Ticket> tickets) throws SQLException;
  }

  /** Renews what no other transaction has locked; and again what one had locked for a moment. */
  private void renewUnlocked(
      Limit limit,
      List<Ticket> tickets,
      Map<LeaseId, Renewal> answers,
      Lookup renewing,
      Lookup looking) {
    List<Ticket> rest = tickets;
    for (int round = 0; round < RenewalTable.ROUNDS && !rest.isEmpty(); round++) {
      List<Ticket> asked = rest;
      Map<String, RenewalTable.Held> renewed =
          database.transact(limit, session -> renewing.of(session, asked));
      for (Ticket ticket : asked) {
        RenewalTable.Held held = renewed.get(ticket.id().toString());
        if (held != null) {
          answers.put(ticket.id(), new Renewal.Renewed(ticket.ttl(), held.wanted()));
        }
      }
      rest = stillHeld(limit, asked, answers, looking);
      if (!rest.isEmpty()) {
        limit.pause();
      }
    }
    StoreException locked =
        database.errors().unavailable("has the lease's row locked by another transaction");
    rest.forEach(ticket -> answers.put(ticket.id(), new Renewal.Unknown(locked)));
  }

  /** Of those that were not renewed the ones that hold all the same; the others are gone. */
  private List<Ticket> stillHeld(
      Limit limit, List<Ticket> asked, Map<LeaseId, Renewal> answers, Lookup looking) {
    List<Ticket> missing = asked.stream().filter(t -> !answers.containsKey(t.id())).toList();
    if (missing.isEmpty()) {
      return List.of();
    }
    Map<String, RenewalTable.Held> held =
        database.call(limit, session -> looking.of(session, missing));
    List<Ticket> still = new ArrayList<>();
    for (Ticket ticket : missing) {
      if (held.containsKey(ticket.id().toString())) {
        still.add(ticket);
      } else {
        answers.put(ticket.id(), new Renewal.Gone());
      }
    }
    return still;
  }

  private static Map<String, RenewalTable.Held> byId(
      List<RenewalTable.Held> rows, List<Ticket> tickets) {
    Map<String, RenewalTable.Held> byId = new HashMap<>();
    rows.forEach(row -> byId.put(row.leaseId(), row));
    byId.keySet()
        .retainAll(tickets.stream().map(t -> t.id().toString()).collect(Collectors.toSet()));
    return byId;
  }

  private static Collection<List<Ticket>> byTtl(
      List<Ticket> tickets, Map<String, RenewalTable.Held> mine) {
    return tickets.stream()
        .filter(ticket -> mine.containsKey(ticket.id().toString()))
        .collect(Collectors.groupingBy(Ticket::ttl))
        .values();
  }

  // ---- tickets that wait

  private void poll(Limit limit, List<Ticket> tickets, Map<LeaseId, Renewal> answers) {
    List<Ticket> due = new ArrayList<>();
    database.call(
        limit,
        session -> {
          due.clear();
          answers.putAll(look(session, tickets));
          for (Ticket ticket : tickets) {
            long left = places.left(ticket);
            if (left <= 0) {
              answers.put(ticket.id(), new Renewal.Gone());
            } else if (Places.isToBeKept(ticket, left)) {
              due.add(ticket);
            }
          }
          return true;
        });
    due.stream()
        .collect(Collectors.groupingBy(QueueTable::placeLife))
        .forEach((life, same) -> stay(limit, same, life, answers));
  }

  private Map<LeaseId, Renewal> look(Session session, List<Ticket> tickets) throws SQLException {
    Map<String, Row> rows = RenewalTable.rows(session, LeaseTable.names(tickets));
    Map<LeaseId, Renewal> answers = new HashMap<>();
    List<Ticket> unclear = new ArrayList<>();
    for (Ticket ticket : tickets) {
      Row row = rows.get(ticket.name());
      if (row == null || row.leaseId().equals(ticket.id().toString())) {
        answers.put(ticket.id(), new Renewal.AttemptNow());
      } else if (row.remaining() > 0) {
        answers.put(ticket.id(), new Renewal.Waiting());
      } else if (row.others() <= 0) {
        answers.put(ticket.id(), new Renewal.AttemptNow());
      } else {
        unclear.add(ticket);
      }
    }
    if (!unclear.isEmpty()) {
      byAllRules(session, unclear, rows, answers);
    }
    return answers;
  }

  private static void byAllRules(
      Session session, List<Ticket> tickets, Map<String, Row> rows, Map<LeaseId, Renewal> answers)
      throws SQLException {
    Map<String, List<Other>> others =
        LeaseTable.others(session, LeaseTable.names(tickets)).stream()
            .collect(Collectors.groupingBy(Other::name));
    for (Ticket ticket : tickets) {
      Row row = Objects.requireNonNull(rows.get(ticket.name()));
      Admission asked = new Admission(row, others.getOrDefault(ticket.name(), List.of()), ticket);
      boolean mayBe =
          asked.repeated().isPresent() || asked.otherKind().isPresent() || asked.isAdmitted();
      answers.put(ticket.id(), mayBe ? new Renewal.AttemptNow() : new Renewal.Waiting());
    }
  }

  private void stay(Limit limit, List<Ticket> tickets, long life, Map<LeaseId, Renewal> answers) {
    // All keep theirs for the same time.
    long end = places.endIfWrittenNow(tickets.get(0));
    List<Ticket> kept = new ArrayList<>();
    database.call(
        limit,
        session -> {
          kept.clear();
          boolean all = QueueTable.stay(session, tickets, life) == tickets.size();
          Set<String> there =
              all ? Set.of() : RenewalTable.waiting(session, LeaseTable.names(tickets));
          for (Ticket ticket : tickets) {
            if (all || there.contains(ticket.id().toString())) {
              kept.add(ticket);
            } else {
              answers.put(ticket.id(), new Renewal.Gone());
            }
          }
          return true;
        });
    if (!kept.isEmpty()) {
      database.transact(limit, session -> mark(session, kept, life));
    }
    for (Ticket ticket : kept) {
      places.kept(ticket, end);
    }
  }

  /** Where a row is locked by another transaction the next time does. */
  private static boolean mark(Session session, List<Ticket> tickets, long life)
      throws SQLException {
    Set<String> unlocked = Set.copyOf(RenewalTable.lockNames(session, LeaseTable.names(tickets)));
    List<Ticket> all = tickets.stream().filter(t -> unlocked.contains(t.name())).toList();
    List<Ticket> inTheWay = all.stream().filter(QueueTable::isInTheWay).toList();
    if (!all.isEmpty()) {
      QueueTable.mark(session, all, life, 0);
    }
    if (!inTheWay.isEmpty()) {
      QueueTable.mark(session, inTheWay, life, life);
    }
    return true;
  }
}
