package io.leasehold.testkit;

import static io.leasehold.testkit.InMemorySettings.Feature.NO_BARGING;
import static io.leasehold.testkit.InMemorySettings.Feature.QUEUE;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A lock name that is held or waited for, and the rules by which a ticket fits in. */
class LockName {
  /** A ticket that holds or waits. */
  static final class Entry {
    final Ticket ticket;
    final long since;
    final Lives.Life life;
    long number;

    /** Granted, and not asked for since: until {@link #confirmBy}. */
    boolean unconfirmed;

    long confirmBy;

    Entry(Ticket ticket, long since, Lives.Life life) {
      this.ticket = ticket;
      this.since = since;
      this.life = life;
    }

    /** How long it lives unless renewed. */
    Duration remaining(long now) {
      long left = life.left(now);
      return left == ticket.ttl().toNanos() ? ticket.ttl() : Duration.ofNanos(left);
    }

    /** How long until it expires, or is taken back. */
    long untilChange(long now) {
      return unconfirmed ? Math.min(confirmBy - now, life.left(now)) : life.left(now);
    }
  }

  final Map<LeaseId, Entry> holders = new LinkedHashMap<>();
  final Map<LeaseId, Entry> waiters = new LinkedHashMap<>();
  private final InMemorySettings settings;

  LockName(InMemorySettings settings) {
    this.settings = settings;
  }

  boolean isEmpty() {
    return holders.isEmpty() && waiters.isEmpty();
  }

  /** Drops those that waited too long without a word; returns whether there were any. */
  boolean dropWaiters(long now) {
    return !waiters.isEmpty() && waiters.values().removeIf(e -> e.life.left(now) <= 0);
  }

  /** Whether a lease has run out, or was not asked for in time. */
  boolean hasOverdueHolder(long now) {
    for (Entry e : holders.values()) {
      if (e.untilChange(now) <= 0) {
        return true;
      }
    }
    return false;
  }

  /** The holder, readable; empty if there is none. */
  String holder() {
    return holders.values().stream().map(e -> e.ticket.holder()).findFirst().orElse("");
  }

  /** When the first of its leases ends. */
  long soonestEnd(long now) {
    return Math.max(0, holders.values().stream().mapToLong(e -> e.life.left(now)).min().orElse(0));
  }

  int place(Ticket ticket) {
    return List.copyOf(waiters.keySet()).indexOf(ticket.id());
  }

  /** The tickets of this client at the head of the queue, before any of another. */
  List<LeaseId> headOf(long client) {
    return waiters.keySet().stream().takeWhile(id -> id.client() == client).toList();
  }

  /** For people. */
  LockSnapshot snapshot(String name, long now) {
    return new LockSnapshot(
        name,
        holders.values().stream()
            .map(
                e ->
                    new LockSnapshot.Holder(
                        e.ticket.id().toString(),
                        e.ticket.holder(),
                        e.ticket.mode(),
                        e.ticket.permits(),
                        FenceNumber.token(e.number, 0),
                        Duration.ofNanos(now - e.since),
                        Duration.ofNanos(e.life.left(now))))
            .toList(),
        waiters.values().stream()
            .map(
                e ->
                    new LockSnapshot.Waiter(
                        e.ticket.id().toString(),
                        e.ticket.holder(),
                        e.ticket.mode(),
                        Duration.ofNanos(now - e.since)))
            .toList());
  }

  /** Whether another ticket waits. */
  boolean isWantedBeside(LeaseId id) {
    return waiters.size() > (waiters.containsKey(id) ? 1 : 0);
  }

  /** A holder or waiter whose kind does not go with this ticket's; empty if there is none. */
  Optional<Ticket> otherKind(Ticket ticket) {
    if (isEmpty()) {
      return Optional.empty();
    }
    // All who are here go together, so one of them tells.
    Ticket one = (holders.isEmpty() ? waiters : holders).values().iterator().next().ticket;
    boolean goes = isPermits(one) == isPermits(ticket) && one.limit() == ticket.limit();
    return goes ? Optional.empty() : Optional.of(one);
  }

  private static boolean isPermits(Ticket ticket) {
    return ticket.mode() == LockMode.PERMITS;
  }

  /** Those of the waiters that could be granted now. */
  List<Entry> admissible() {
    return waiters.values().stream().filter(e -> admits(e.ticket)).toList();
  }

  /** Whether the ticket could be granted now. */
  boolean admits(Ticket ticket) {
    return fits(ticket) && mayPass(ticket);
  }

  boolean fits(Ticket ticket) {
    return switch (ticket.mode()) {
      case EXCLUSIVE -> holders.isEmpty();
      case SHARED -> isHeldOnlyLike(ticket);
      case PERMITS -> isHeldOnlyLike(ticket) && permitsOut() + ticket.permits() <= ticket.limit();
    };
  }

  private boolean isHeldOnlyLike(Ticket ticket) {
    return holders.values().stream().allMatch(e -> e.ticket.mode() == ticket.mode());
  }

  int permitsOut() {
    return holders.values().stream().mapToInt(e -> e.ticket.permits()).sum();
  }

  /** Whether those who wait let this ticket pass. */
  boolean mayPass(Ticket ticket) {
    if (waiters.isEmpty()) {
      return true;
    }
    for (Entry e : waiters.values()) {
      if (e.ticket.id().equals(ticket.id())) {
        return true;
      }
      if (comesFirst(e.ticket, ticket)) {
        return false;
      }
    }
    return true;
  }

  /** Whether one that waits must be served before one that came later. */
  boolean comesFirst(Ticket earlier, Ticket later) {
    boolean ordered = settings.has(QUEUE) && earlier.fair() && later.fair();
    boolean writer = earlier.mode() == LockMode.EXCLUSIVE && later.mode() == LockMode.SHARED;
    return ordered || writer || (settings.has(QUEUE) && settings.has(NO_BARGING));
  }
}
