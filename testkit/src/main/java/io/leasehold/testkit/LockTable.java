package io.leasehold.testkit;

import static io.leasehold.testkit.InMemorySettings.Feature.DIRECT_GRANT;
import static io.leasehold.testkit.InMemorySettings.Feature.FENCING;
import static io.leasehold.testkit.InMemorySettings.Feature.GRANT_MESSAGES;
import static io.leasehold.testkit.InMemorySettings.Feature.HALF_YIELD;
import static io.leasehold.testkit.InMemorySettings.Feature.NEIGHBOURS;
import static io.leasehold.testkit.InMemorySettings.Feature.QUEUE;
import static io.leasehold.testkit.InMemorySettings.Feature.REPORTS_WANTED;
import static io.leasehold.testkit.InMemorySettings.Feature.SESSIONS;
import static io.leasehold.testkit.InMemorySettings.Feature.TOMBSTONES;
import static io.leasehold.testkit.InMemorySettings.Feature.VISIBLE_TRIES;

import io.leasehold.LockMode;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.LockName.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a lock server and the rules by which it changes. Not thread-safe. Every method is
 * told the time; whom to wake and who was lost is collected until {@link #takeReports()}.
 */
class LockTable {
  private static final long LONGEST_CONFIRM_NANOS = Duration.ofSeconds(2).toNanos();

  /** What happened that a client may want to know. */
  sealed interface Report permits Wake, Told, Lost, Wanted {
    LeaseId id();
  }

  /** This waiting ticket may now succeed. */
  record Wake(LeaseId id) implements Report {}

  /** This waiting ticket was granted, for so long unless it is confirmed. */
  record Told(LeaseId id, Attempt.Granted granted, long at) implements Report {}

  /** This lease went with its session. */
  record Lost(LeaseId id) implements Report {}

  /** Another waits for the name of this lease from now on. */
  record Wanted(LeaseId id) implements Report {}

  private final InMemorySettings settings;
  private final Map<String, LockName> names = new LinkedHashMap<>();
  private final Tombstones tombstones;
  private final Lives lives;
  private final long confirmNanos;
  private List<Report> reports = new ArrayList<>();
  private long lastNumber;

  /** A name that no ticket uses any more, for the next that a ticket begins to use. */
  private @Nullable LockName spare;

  LockTable(InMemorySettings settings) {
    this.settings = settings;
    this.tombstones = new Tombstones(settings.has(TOMBSTONES));
    this.lives = new Lives(settings.has(SESSIONS));
    // Long enough that a waiter who was not woken finds out by polling.
    this.confirmNanos =
        Math.min(LONGEST_CONFIRM_NANOS, settings.poll().longest().toNanos() / 2 * 3);
  }

  List<Report> takeReports() {
    List<Report> taken = reports;
    reports = taken.isEmpty() ? taken : new ArrayList<>();
    return taken;
  }

  // ---- questions

  /** All names, after what has expired was removed. */
  Map<String, LockName> names(long now) {
    for (String name : List.copyOf(names.keySet())) {
      sweep(name, now);
    }
    return names;
  }

  /** How long until something expires by itself; the largest value if nothing will. */
  long nanosUntilExpiry(long now) {
    long soonest = Long.MAX_VALUE;
    for (LockName name : names.values()) {
      for (Entry e : name.holders.values()) {
        soonest = Math.min(soonest, e.untilChange(now));
      }
      for (Entry e : name.waiters.values()) {
        soonest = Math.min(soonest, e.untilChange(now));
      }
    }
    return soonest;
  }

  boolean holds(String name, LeaseId id, long now) {
    LockName state = names.get(name);
    Entry held = state == null ? null : state.holders.get(id);
    return held != null && held.untilChange(now) > 0;
  }

  boolean waits(String name, LeaseId id, long now) {
    return placeLeft(name, id, now) > 0;
  }

  /** How long a ticket that waits keeps its place unless it asks again; 0 if it does not wait. */
  long placeLeft(String name, LeaseId id, long now) {
    LockName state = names.get(name);
    Entry waiting = state == null ? null : state.waiters.get(id);
    return waiting == null ? 0 : Math.max(0, waiting.life.left(now));
  }

  /** Whether it waits and could not be granted now. */
  boolean mustWait(Ticket ticket, long now) {
    sweep(ticket.name(), now);
    LockName name = names.get(ticket.name());
    return name != null && name.waiters.containsKey(ticket.id()) && !name.admits(ticket);
  }

  boolean isBuried(LeaseId id) {
    return tombstones.has(id);
  }

  // ---- the verbs

  Attempt attempt(Ticket ticket, long now) {
    sweep(ticket.name(), now);
    LockName name = nameOf(ticket);
    Entry held = name.holders.get(ticket.id());
    if (held != null) {
      held.unconfirmed = false;
      raise(held, ticket);
      return granted(name, held, now);
    }
    Optional<Ticket> other = name.otherKind(ticket);
    if (other.isPresent()) {
      return new Attempt.OtherKind(other.get().mode(), other.get().limit());
    }
    boolean buried = isBuried(ticket.id());
    if (!buried && name.admits(ticket)) {
      boolean waited = name.waiters.containsKey(ticket.id());
      Entry entry = grant(name, ticket, lives.begin(ticket, now), now);
      if (waited) {
        // Those that waited behind it and go with it have no waiter before them any more.
        settle(name, now);
      }
      return granted(name, entry, now);
    }
    Attempt answer = new Attempt.Busy(Duration.ofNanos(name.soonestEnd(now)), name.holder());
    if (ticket.intent() == Ticket.Intent.TRY && settings.has(VISIBLE_TRIES) && !buried) {
      keepPlace(name, ticket, now);
    }
    if (ticket.intent() == Ticket.Intent.QUEUE && !buried) {
      keepPlace(name, ticket, now);
      answer = settings.has(QUEUE) ? new Attempt.Queued(name.place(ticket), name.holder()) : answer;
    }
    dropIfEmpty(ticket.name(), name);
    return answer;
  }

  /** Gives a ticket that must wait a place, or keeps alive the one that it has. */
  void keepPlace(LockName name, Ticket ticket, long now) {
    Entry waiting = name.waiters.get(ticket.id());
    if (waiting == null) {
      name.waiters.put(ticket.id(), new Entry(ticket, now, lives.begin(ticket, now)));
      if (settings.has(REPORTS_WANTED)) {
        name.holders.keySet().forEach(id -> report(new Wanted(id)));
      }
    } else {
      lives.renew(waiting.life, ticket, now);
    }
  }

  private LockName nameOf(Ticket ticket) {
    LockName name = names.get(ticket.name());
    if (name == null) {
      if (spare == null || !spare.isEmpty()) {
        spare = newName(settings);
      }
      name = spare;
      names.put(ticket.name(), name);
    }
    return name;
  }

  private Attempt granted(LockName name, Entry held, long now) {
    boolean wanted = name.isWantedBeside(held.ticket.id());
    return new Attempt.Granted(held.number, sure(held, now), wanted, run(name, held.ticket));
  }

  /** How much of a lease's life its client may count on. */
  Duration sure(Entry held, long now) {
    Duration left = held.remaining(now);
    if (!settings.has(HALF_YIELD)) {
      return left;
    }
    Duration half = left.minus(held.ticket.ttl().dividedBy(2));
    return half.isNegative() ? Duration.ZERO : half;
  }

  private Entry grant(LockName name, Ticket ticket, Lives.Life life, long now) {
    Entry entry = new Entry(ticket, now, life);
    entry.number = settings.has(FENCING) ? mint(name, ticket) : 0;
    name.waiters.remove(ticket.id());
    name.holders.put(ticket.id(), entry);
    return entry;
  }

  boolean withdraw(Ticket ticket, long now) {
    remove(ticket, now);
    return tombstones.areKept();
  }

  Release release(Ticket ticket, long now) {
    sweep(ticket.name(), now);
    if (!holds(ticket.name(), ticket.id(), now)) {
      return Release.NOT_HELD;
    }
    remove(ticket, now);
    return Release.RELEASED;
  }

  /**
   * As {@link #release(Ticket, long)}, after the places of those that were served along its run.
   */
  Release release(Ticket ticket, Collection<LeaseId> served, long now) {
    sweep(ticket.name(), now);
    LockName name = names.get(ticket.name());
    if (name != null && name.holders.containsKey(ticket.id())) {
      served.forEach(name.waiters::remove);
      served.forEach(id -> bury(id, now));
    }
    return release(ticket, now);
  }

  /** Those of the ticket's client that wait directly behind it. */
  List<LeaseId> run(LockName name, Ticket ticket) {
    return settings.has(NEIGHBOURS) && ticket.fair() && ticket.mode() == LockMode.EXCLUSIVE
        ? name.headOf(ticket.id().client())
        : List.of();
  }

  Renewal renew(Ticket ticket, long now) {
    sweep(ticket.name(), now);
    LockName name = names.get(ticket.name());
    if (name == null) {
      return new Renewal.Gone();
    }
    Entry held = name.holders.get(ticket.id());
    if (held != null && held.unconfirmed) {
      return new Renewal.AttemptNow();
    }
    if (held != null) {
      lives.renew(held.life, ticket, now);
      return new Renewal.Renewed(sure(held, now), name.isWantedBeside(ticket.id()));
    }
    Entry waiting = name.waiters.get(ticket.id());
    if (waiting == null) {
      return new Renewal.Gone();
    }
    lives.renew(waiting.life, ticket, now);
    return name.admits(ticket) ? new Renewal.AttemptNow() : new Renewal.Waiting();
  }

  /** What its holder was told of by this number need not be asked for any more. */
  void confirm(Ticket ticket, long number, long now) {
    sweep(ticket.name(), now);
    LockName name = names.get(ticket.name());
    Entry held = name == null ? null : name.holders.get(ticket.id());
    if (held != null && number > 0 && held.number == number) {
      held.unconfirmed = false;
    }
  }

  /** The last number that was given. */
  long lastNumber() {
    return lastNumber;
  }

  /** How long a grant to this waiting ticket would stand if the client did not confirm it. */
  long unconfirmedLife(String name, LeaseId id, long now) {
    LockName state = names.get(name);
    Entry waiting = state == null ? null : state.waiters.get(id);
    return waiting == null ? 0 : Math.min(confirmNanos, waiting.life.left(now));
  }

  // ---- operators and faults

  /** Removes the lease with this number, and only that. */
  boolean breakLease(String name, long number, long now) {
    sweep(name, now);
    LockName state = names.get(name);
    if (state != null) {
      for (Entry e : state.holders.values()) {
        if (e.number == number) {
          remove(e.ticket, now);
          return true;
        }
      }
    }
    return false;
  }

  /** Ends the sessions of a client: what it holds and waits for is gone, and reported as lost. */
  void endSessions(long client, long now) {
    lives.end(client, now);
    names(now);
  }

  void limitLife(Duration longest, long now) {
    lives.limit(longest);
    for (LockName name : names.values()) {
      name.holders.values().forEach(e -> lives.shorten(e.life, now));
    }
  }

  /** Loses everything but the last fence number. */
  void clear() {
    names.clear();
    tombstones.clear();
  }

  // ---- what a broken store does otherwise

  LockName newName(InMemorySettings forSettings) {
    return new LockName(forSettings);
  }

  /** The fence number of a grant. */
  long mint(LockName name, Ticket ticket) {
    lastNumber = Math.max(lastNumber + 1, ticket.leastNumber());
    return lastNumber;
  }

  /** Gives a lease that stands the number that a repeated attempt asks for. */
  void raise(Entry held, Ticket ticket) {
    if (settings.has(FENCING) && ticket.leastNumber() > held.number) {
      held.number = ticket.leastNumber();
      lastNumber = Math.max(lastNumber, held.number);
    }
  }

  /** The state of a name, if it has any. */
  Optional<LockName> find(String name) {
    return Optional.ofNullable(names.get(name));
  }

  /** Whom to wake or tell. */
  void report(Report report) {
    reports.add(report);
  }

  /** Remembers that an id is used up. */
  void bury(LeaseId id, long now) {
    tombstones.bury(id, now);
  }

  // ---- changes

  void remove(Ticket ticket, long now) {
    bury(ticket.id(), now);
    LockName name = names.get(ticket.name());
    if (name != null) {
      boolean wasHeld = name.holders.remove(ticket.id()) != null;
      boolean waited = name.waiters.remove(ticket.id()) != null;
      if ((wasHeld || waited) && !name.waiters.isEmpty()) {
        settle(name, now);
      }
      dropIfEmpty(ticket.name(), name);
    }
  }

  /** After something came free or a waiter went: grants to, or wakes, those who may be next. */
  private void settle(LockName name, long now) {
    if (!settings.has(DIRECT_GRANT) || !settings.has(QUEUE)) {
      name.admissible().forEach(e -> report(new Wake(e.ticket.id())));
      return;
    }
    // One at a time: each grant may make way for the waiter behind it
    for (List<Entry> next = name.admissible(); !next.isEmpty(); next = name.admissible()) {
      report(grantUnasked(name, next.get(0), now));
    }
  }

  private Report grantUnasked(LockName name, Entry waiting, long now) {
    Entry granted = grant(name, waiting.ticket, waiting.life, now);
    granted.unconfirmed = true;
    granted.confirmBy = now + confirmNanos;
    LeaseId id = waiting.ticket.id();
    if (!settings.has(GRANT_MESSAGES) || !settings.has(FENCING)) {
      return new Wake(id);
    }
    Duration stands = Duration.ofNanos(granted.untilChange(now));
    boolean wanted = name.isWantedBeside(id);
    List<LeaseId> run = run(name, granted.ticket);
    return new Told(id, new Attempt.Granted(granted.number, stands, wanted, run), now);
  }

  /** Removes what has expired from a name, and takes back grants that no waiter asked for. */
  private void sweep(String key, long now) {
    tombstones.forgetOld(now);
    LockName name = names.get(key);
    if (name == null) {
      return;
    }
    boolean changed = name.dropWaiters(now);
    if (name.hasOverdueHolder(now)) {
      endOverdue(name, now);
      changed = true;
    }
    if (changed) {
      settle(name, now);
      dropIfEmpty(key, name);
    }
  }

  private void endOverdue(LockName name, long now) {
    for (Entry e : List.copyOf(name.holders.values())) {
      if (e.untilChange(now) <= 0) {
        name.holders.remove(e.ticket.id());
        ended(name, e, now);
      }
    }
  }

  private void ended(LockName name, Entry e, long now) {
    if (!e.unconfirmed) {
      bury(e.ticket.id(), now);
      if (settings.has(SESSIONS)) {
        report(new Lost(e.ticket.id()));
      }
    } else if (e.life.left(now) > 0) {
      // The waiter did not ask for it in time: behind the others again.
      name.waiters.put(e.ticket.id(), new Entry(e.ticket, e.since, e.life));
    }
  }

  private void dropIfEmpty(String key, LockName name) {
    if (name.isEmpty()) {
      names.remove(key);
      spare = name;
    }
  }
}
