package io.leasehold.examples;

import io.leasehold.LockMode;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What {@link MapStore} knows of one lock name. */
final class MapName {
  /** One that holds under a number, or waits. */
  record Entry(Ticket ticket, long number, long until) {}

  final Map<LeaseId, Entry> holders = new LinkedHashMap<>();
  final Map<LeaseId, Entry> waiters = new LinkedHashMap<>();

  /** Ids that are used up, each until nothing of it can be on its way any more. */
  final Map<LeaseId, Long> ended = new LinkedHashMap<>();

  private long number;
  private long now;

  void expire(long atNow) {
    now = atNow;
    Stream.of(holders, waiters)
        .flatMap(entries -> entries.values().stream())
        .filter(entry -> entry.until - now <= 0)
        .toList()
        .forEach(entry -> end(entry.ticket));
    ended.values().removeIf(until -> until - now <= 0);
  }

  Entry entry(Ticket ticket, long withNumber) {
    return new Entry(ticket, withNumber, now + ticket.ttl().toNanos());
  }

  Duration left(Entry entry) {
    return Duration.ofNanos(entry.until - now);
  }

  long grant(Ticket ticket) {
    waiters.remove(ticket.id());
    holders.put(ticket.id(), entry(ticket, ++number));
    return number;
  }

  boolean end(Ticket ticket) {
    ended.put(ticket.id(), now + Duration.ofMinutes(15).toNanos());
    waiters.remove(ticket.id());
    return holders.remove(ticket.id()) != null;
  }

  boolean isWanted(Ticket ticket) {
    return waiters.keySet().stream().anyMatch(id -> !id.equals(ticket.id()));
  }

  String holder() {
    return holders.values().stream().map(e -> e.ticket.holder()).findFirst().orElse("");
  }

  Optional<Ticket> otherKind(Ticket ticket) {
    return Stream.of(holders, waiters)
        .flatMap(entries -> entries.values().stream())
        .map(Entry::ticket)
        .filter(t -> isPermits(t) != isPermits(ticket) || t.limit() != ticket.limit())
        .findFirst();
  }

  private static boolean isPermits(Ticket ticket) {
    return ticket.mode() == LockMode.PERMITS;
  }

  boolean admits(Ticket ticket) {
    return switch (ticket.mode()) {
      case EXCLUSIVE -> holders.isEmpty();
      case SHARED -> !holdsExclusive() && !writerWaitsBefore(ticket);
      case PERMITS -> permitsOut() + ticket.permits() <= ticket.limit();
    };
  }

  private boolean holdsExclusive() {
    return holders.values().stream().anyMatch(e -> e.ticket.mode() == LockMode.EXCLUSIVE);
  }

  private int permitsOut() {
    return holders.values().stream().mapToInt(e -> e.ticket.permits()).sum();
  }

  private boolean writerWaitsBefore(Ticket reader) {
    return waiters.values().stream()
        .map(Entry::ticket)
        .takeWhile(t -> !t.id().equals(reader.id()))
        .anyMatch(t -> t.mode() == LockMode.EXCLUSIVE);
  }
}
