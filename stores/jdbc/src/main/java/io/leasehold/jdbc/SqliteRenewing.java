package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Renews leases and keeps waiters' places, a batch at a time. */
final class SqliteRenewing {
  /**
   * How many tickets are renewed in one transaction, so that none holds the write lock for long.
   */
  static final int CHUNK = 500;

  private final SqliteDatabase database;
  private final SqliteStatements statements;

  SqliteRenewing(SqliteDatabase database, SqliteStatements statements) {
    this.database = database;
    this.statements = statements;
  }

  void renew(Limit limit, List<Ticket> all, BiConsumer<LeaseId, Renewal> each) {
    for (int from = 0; from < all.size(); from += CHUNK) {
      List<Ticket> chunk = all.subList(from, Math.min(all.size(), from + CHUNK));
      Map<LeaseId, Renewal> answers = new LinkedHashMap<>();
      try {
        renew(limit, chunk, answers);
      } catch (StoreException e) {
        chunk.forEach(ticket -> answers.putIfAbsent(ticket.id(), new Renewal.Unknown(e)));
      }
      answers.forEach(each);
    }
  }

  private void renew(Limit limit, List<Ticket> chunk, Map<LeaseId, Renewal> answers) {
    List<Ticket> held = new ArrayList<>();
    List<Ticket> mayWait = new ArrayList<>();
    chunk.forEach(ticket -> (ticket.intent() == Ticket.Intent.QUEUE ? mayWait : held).add(ticket));
    Map<Ticket, Renewal> lapsing =
        mayWait.isEmpty() ? Map.of() : look(limit, mayWait, held, answers);
    if (held.isEmpty() && lapsing.isEmpty()) {
      return;
    }
    Map<Ticket, Long> lives = new HashMap<>();
    lapsing.keySet().forEach(ticket -> lives.put(ticket, Places.lifeNanos(ticket)));
    Map<String, Boolean> wanted =
        database.writeSoon(
            limit,
            session -> {
              if (!lives.isEmpty()) {
                statements.stay(session, lives);
              }
              return held.isEmpty() ? Map.of() : statements.renew(session, held);
            });
    for (Ticket ticket : held) {
      Boolean isWanted = wanted.get(ticket.id().toString());
      answers.put(
          ticket.id(),
          isWanted == null ? new Renewal.Gone() : new Renewal.Renewed(ticket.ttl(), isWanted));
    }
    lapsing.forEach((ticket, answer) -> answers.put(ticket.id(), answer));
  }

  /**
   * Asks, without the write lock, which of the tickets hold and which wait.
   *
   * @param held takes those that hold
   * @return those that wait and whose places must be kept before they are told so
   */
  private Map<Ticket, Renewal> look(
      Limit limit, List<Ticket> tickets, List<Ticket> held, Map<LeaseId, Renewal> answers) {
    Map<String, SqliteStatements.State> states =
        database.read(limit, session -> statements.look(session, tickets));
    Map<Ticket, Renewal> lapsing = new LinkedHashMap<>();
    for (Ticket ticket : tickets) {
      SqliteStatements.State state = states.get(ticket.id().toString());
      if (state != null && state.holds()) {
        held.add(ticket);
      } else if (state == null || state.waitsFor() <= 0) {
        answers.put(ticket.id(), new Renewal.Gone());
      } else {
        Renewal answer = state.admitted() ? new Renewal.AttemptNow() : new Renewal.Waiting();
        if (Places.isToBeKept(ticket, state.waitsFor())) {
          lapsing.put(ticket, answer);
        } else {
          answers.put(ticket.id(), answer);
        }
      }
    }
    return lapsing;
  }
}
