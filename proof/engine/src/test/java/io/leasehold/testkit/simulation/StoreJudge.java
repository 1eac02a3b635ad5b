package io.leasehold.testkit.simulation;

import io.leasehold.StoreException;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.HashMap;
import java.util.Map;

/** Judges requests: what the engine asks of the store, and what it leaves there. */
final class StoreJudge {
  /** From so many on they wait for each other. */
  private static final int MANY_IN_LIMBO = 4;

  private final World world;
  private final Judge judge;
  private final Map<String, Acquisition> fronts = new HashMap<>();
  private final Map<SimulatedProcess, Long> clients = new HashMap<>();

  StoreJudge(World world, Judge judge) {
    this.world = world;
    this.judge = judge;
  }

  void sent(SimulatedProcess process, String verb, Ticket ticket) {
    LeaseId key = ticket.id();
    if (clients.putIfAbsent(process, key.client()) == null) {
      world.trace.name(key.client(), process.name);
    }
    Acquisition id = judge.ids.computeIfAbsent(key, k -> new Acquisition(process, ticket));
    world.trace.line(
        process.name,
        "> "
            + verb
            + " "
            + world.trace.id(key)
            + (verb.equals("attempt") ? " " + ticket.intent() : ""));
    id.lastSent = world.time.now();
    switch (verb) {
      case "attempt" -> attemptSent(key, id, ticket);
      case "renew" -> renewalSent(key, id);
      case "release", "withdraw" -> removalSent(key, id, verb);
      default -> {}
    }
  }

  private void attemptSent(LeaseId key, Acquisition id, Ticket ticket) {
    id.attemptsUnderWay++;
    if (ticket.intent() == Ticket.Intent.QUEUE && !ticket.fair()) {
      fronts.put(id.process.name + id.name, id);
    }
    for (Call call : judge.pending) {
      // The last of them: a ticket that is used up is followed by another
      if (call.wish.fair() && ticket.holder().endsWith(" trace " + call)) {
        call.ticket = key;
      }
    }
    if (id.removalAnswered) {
      judge.fail(
          Check.RENEWED_AFTER_END,
          "an attempt was sent for " + world.trace.id(key) + " after it was released or withdrawn");
    }
  }

  private void renewalSent(LeaseId key, Acquisition id) {
    id.renewSent = id.process.nanos();
    if (id.handles.stream().anyMatch(h -> h.isOpen() && !h.call.wish.renewed())) {
      judge.fail(
          Check.RENEWAL,
          "a renewal was sent for " + world.trace.id(key) + ", which is not to be renewed");
    }
    if (id.releaseSent || id.withdrawSent || id.lostTold) {
      judge.fail(
          Check.RENEWED_AFTER_END,
          "a renewal was sent for "
              + world.trace.id(key)
              + " after "
              + (id.lostTold ? "it was lost" : "its release was sent"));
    }
  }

  private void removalSent(LeaseId key, Acquisition id, String verb) {
    if (id.heldOnce && id.last == null && !id.releaseSent && !id.withdrawSent) {
      world.saw(id.acquired ? Sometimes.CANCEL_MET_GRANT : Sometimes.GRANT_FOR_ABANDONED);
      if (verb.equals("release")) {
        checkGhost(id, key);
      }
    }
    id.removalSent = id.process.nanos();
    if (verb.equals("release")) {
      id.releaseSent = true;
    } else {
      id.withdrawSent = true;
    }
    for (Handle handle : id.handles) {
      if (handle.isOpen() && handle.hold.isHeld()) {
        judge.fail(
            Check.RELEASE_PRECISE,
            verb + " was sent for " + world.trace.id(key) + ", which " + handle.call + " holds");
      }
    }
  }

  private void checkGhost(Acquisition id, LeaseId key) {
    boolean justCancelled =
        world.time.now() - judge.lastCancel.getOrDefault(id.process.name + id.name, 0L)
            < 2 * Plan.MS;
    if (id.acquired
        && !justCancelled
        && !judge.multis.mayHave(id.process, id.name)
        && !judge.isClosing(id.process)
        && !id.process.hasJustResumed()) {
      judge.fail(
          Check.GHOST,
          world.trace.id(key) + " was granted for a caller that had given up long before");
    }
  }

  /** The store did it. */
  void applied(Link link, String verb, Ticket ticket, Object result) {
    Acquisition id = judge.ids.get(ticket.id());
    if (world.trace.on()) {
      world.trace.line(
          "server", verb + " " + world.trace.id(ticket.id()) + " = " + Trace.show(result));
    }
    if (!verb.equals("attempt")) {
      return;
    }
    boolean given = result instanceof Attempt.Granted;
    mustBeCaredFor(ticket.id(), id, given || ticket.intent() == Ticket.Intent.QUEUE);
    if (id.withdrawSent || id.releaseSent) {
      world.saw(given ? Sometimes.GHOST_HELD : Sometimes.GHOST_AFTER_WITHDRAWAL);
    }
    if (given && id.granted) {
      world.saw(Sometimes.REPEAT_GRANTED);
    }
    if (given || (ticket.intent() == Ticket.Intent.QUEUE && isAtServer(ticket.id(), id))) {
      judge.kinds.left(ticket);
    }
    if (given && !id.granted && !id.grantedUnseen) {
      judge.places.mustComeAfterWriters(ticket.id(), id);
    }
    if (given && !id.granted && id.queued && world.plan.has(Feature.DIRECT_GRANT)) {
      world.saw(Sometimes.DIRECT_GRANT);
    }
    id.granted |= given;
    if (result instanceof Attempt.Granted granted) {
      id.grantedAs(granted.number());
    }
    if (result instanceof Attempt.Queued queued) {
      // No ticket is put before one that waits: it has lost its place, and got another.
      id.lapsed |= id.queued && queued.place() > id.place;
      id.place = queued.place();
    }
    if (!given && !id.queued && world.server.waits(id.name, ticket.id())) {
      judge.places.begins(ticket.id(), id);
    }
  }

  /**
   * What an attempt left at the store is used, kept alive or withdrawn: nothing lies about there.
   */
  private void mustBeCaredFor(LeaseId key, Acquisition id, boolean left) {
    if (!left || id.last != null || id.watched || !world.plan.isPolled()) {
      return;
    }
    id.watched = true;
    long landed = world.time.now();
    id.process.later(
        world.plan.requestTimeout() + 1_700 * Plan.MS,
        () -> {
          id.watched = false;
          boolean cared = id.last != null || id.lastSent > landed || id.attemptsUnderWay > 0;
          boolean excused =
              judge.isClosing(id.process)
                  || id.process.ranFor() < world.plan.requestTimeout() + Plan.SECOND
                  || id.process.engine.ledger().limbo() > MANY_IN_LIMBO;
          boolean goesLater = id.ticket.fair() && isHandedAlong(id);
          if (!cared && (goesLater || judge.multis.mayHave(id.process, id.name))) {
            mustBeCaredFor(key, id, true);
          } else if (!cared && !excused && isAtServer(key, id)) {
            judge.fail(
                Check.GHOST,
                world.trace.id(key) + " is at the store, and its client has forgotten it");
          }
        });
  }

  /** Whether its process has a lease that goes along its places: theirs go with that. */
  private boolean isHandedAlong(Acquisition id) {
    return judge.ids.values().stream()
        .anyMatch(
            other ->
                other.process == id.process
                    && other.name.equals(id.name)
                    && other.handles.size() > 1
                    && !other.removalAnswered);
  }

  private boolean isAtServer(LeaseId key, Acquisition id) {
    return world.server.holds(id.name, key) || world.server.waits(id.name, key);
  }

  /** The engine was answered. */
  void answered(
      SimulatedProcess process,
      String verb,
      Ticket ticket,
      long sentAt,
      Object result,
      Throwable failure) {
    Acquisition id = judge.ids.get(ticket.id());
    if (world.trace.on()) {
      world.trace.line(
          process.name,
          "< "
              + verb
              + " "
              + world.trace.id(ticket.id())
              + " "
              + (failure == null ? Trace.show(result) : "failed" + Judge.kind(failure)));
    }
    if (verb.equals("attempt")) {
      id.attemptsUnderWay--;
      if (id.withdrawSent
          || (failure instanceof StoreException e
              && e.failure() == StoreException.Failure.UNKNOWN_OUTCOME)) {
        id.attemptsUnknown++;
      }
      id.toldBusy |= result instanceof Attempt.Busy || result instanceof Attempt.Queued;
      if (result instanceof Attempt.OtherKind && !id.withdrawSent) {
        judge.kinds.answered(process, ticket);
      }
    } else if (verb.equals("release") || verb.equals("withdraw")) {
      id.endedAt = world.time.now();
    }
    if (result instanceof Renewal.Renewed) {
      id.wordSent = sentAt;
    }
    if (result instanceof Attempt.Granted granted && id.last == null) {
      id.wanted = false;
      id.isWanted(granted.wanted());
      id.shortened &= sentAt - id.shortenedAt < 0;
      id.heardOf = process.nanos();
      id.heldOnce = true;
      id.isValid(sentAt, granted.remaining().toNanos(), world.time.now());
    } else if (result instanceof Renewal.Renewed renewed
        && id.heldOnce
        && sentAt - id.heardOf >= 0) {
      if (sentAt - id.validSent >= 0) {
        id.isWanted(renewed.wanted());
      }
      id.shortened &= sentAt - id.shortenedAt < 0;
      id.isValid(sentAt, renewed.remaining().toNanos(), world.time.now());
    } else if (result instanceof Renewal.Gone && !id.granted && id.queued) {
      world.saw(Sometimes.PLACE_LAPSED);
    } else if (result instanceof Renewal.Gone && id.isOpen()) {
      id.handles.stream()
          .filter(h -> h.isOpen() && sentAt - h.grantedOwn > 0)
          .forEach(this::mustHearSoon);
    } else if (result instanceof Release || (verb.equals("withdraw") && failure == null)) {
      id.removalAnswered = true;
      // A release is asked for again where an attempt landed late: the first answer counts.
      if (result instanceof Release answer && id.released != Release.RELEASED) {
        id.released = answer;
      }
    }
  }

  /** The store said that a lease is gone: its holder is told at once. */
  private void mustHearSoon(Handle handle) {
    handle.call.process.later(
        Judge.SLACK,
        () -> {
          if (handle.isOpen() && !judge.isClosing(handle.call.process)) {
            judge.fail(
                Check.LOSS_TOLD,
                handle.call + " is gone at the store, which said so, and its holder was not told");
          }
        });
  }

  /** The engine is told that the store granted a ticket by itself. */
  void told(SimulatedProcess process, LeaseId key, Attempt.Granted granted, long age) {
    world.trace.line(
        process.name,
        "< granted "
            + world.trace.id(key)
            + " "
            + granted.number()
            + ", "
            + Judge.ms(age)
            + " ago");
    Acquisition id = judge.ids.get(key);
    if (id == null || id.last != null) {
      return;
    }
    world.saw(Sometimes.TOLD_OF_GRANT);
    id.granted = true;
    id.grantedAs(granted.number());
    id.heldOnce = true;
    id.wanted = false;
    id.isWanted(granted.wanted());
    id.heardOf = process.nanos();
    id.isValid(process.nanos() - age, granted.remaining().toNanos(), world.time.now());
    id.begins = process.nanos();
  }

  void woken(SimulatedProcess process, LeaseId key) {
    world.trace.line(process.name, "< wake " + world.trace.id(key));
    Acquisition id = judge.ids.get(key);
    if (id != null && id.attemptsUnderWay > 0) {
      world.saw(Sometimes.WAKE_BEFORE_REPLY);
    }
  }

  /** Whether the store has told the one who contends for those who wait there to wait. */
  boolean isWaitedFor(SimulatedProcess process, String name) {
    Acquisition front = fronts.get(process.name + name);
    return front != null
        && front.toldBusy
        && !front.heldOnce
        && !front.withdrawSent
        && process.isRunning()
        && !judge.isClosing(process);
  }

  Long client(SimulatedProcess process) {
    return clients.get(process);
  }
}
