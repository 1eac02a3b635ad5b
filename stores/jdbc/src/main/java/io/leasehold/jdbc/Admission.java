package io.leasehold.jdbc;

import io.leasehold.LockMode;
import io.leasehold.jdbc.LeaseTable.Other;
import io.leasehold.jdbc.LeaseTable.Row;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Ticket;
import java.util.List;
import java.util.Optional;

/**
 * Whether a ticket may be granted, by what the tables say of its name: the rules of the modes and
 * of the queue. Used by the grant and by the poll, so that a poll cannot promise what an attempt
 * does not give.
 */
final class Admission {
  private static final String PERMITS = LockMode.PERMITS.name();
  private static final String EXCLUSIVE = LockMode.EXCLUSIVE.name();

  private final Row row;
  private final List<Other> others;
  private final Ticket ticket;

  /**
   * Of one ticket.
   *
   * @param others all others of the name, waiters in their order
   */
  Admission(Row row, List<Other> others, Ticket ticket) {
    this.row = row;
    this.others = others;
    this.ticket = ticket;
  }

  /** What was granted to this id before and still lives; its life never more than its ttl. */
  Optional<Attempt> repeated() {
    Optional<Other> share = others.stream().filter(o -> !o.waits() && o.is(ticket)).findFirst();
    if (share.isPresent()) {
      Other own = share.get();
      return Optional.of(
          own.isWithdrawn()
              ? usedUp()
              : repeated(ticket, own.number(), own.remaining(), isWanted()));
    }
    return row.leaseId().equals(ticket.id().toString())
        ? Optional.of(repeated(ticket, row.fence(), row.remaining(), isWanted()))
        : Optional.empty();
  }

  static Attempt repeated(Ticket ticket, long number, long remaining, boolean wanted) {
    if (remaining <= 0) {
      // Its lease has ended: the id is used up and is never granted again.
      return usedUp();
    }
    long life = Math.min(remaining, LeaseTable.life(ticket));
    return new Attempt.Granted(number, LeaseTable.duration(life), wanted);
  }

  private static Attempt usedUp() {
    return new Attempt.Busy(LeaseTable.duration(0), "");
  }

  /** The name is a lock of another kind, or of another size. */
  Optional<Attempt> otherKind() {
    boolean permits = ticket.mode() == LockMode.PERMITS;
    if (row.remaining() > 0 && permits) {
      return Optional.of(new Attempt.OtherKind(LockMode.EXCLUSIVE, 1));
    }
    return others.stream()
        .filter(o -> o.isLive() && !o.isWithdrawn() && !(o.waits() && o.is(ticket)))
        .filter(o -> o.mode().equals(PERMITS) != permits || o.size() != ticket.limit())
        .findFirst()
        .map(o -> new Attempt.OtherKind(LockMode.valueOf(o.mode()), o.size()));
  }

  /** Whether it may be granted now. */
  boolean isAdmitted() {
    if (row.remaining() > 0 || others.stream().anyMatch(this::isBeforeIt)) {
      return false;
    }
    return hasRoomFor(ticket.permits());
  }

  private boolean hasRoomFor(int permits) {
    int held = others.stream().filter(Admission::holds).mapToInt(Other::permits).sum();
    return switch (ticket.mode()) {
      case EXCLUSIVE -> held == 0;
      case SHARED -> true;
      case PERMITS -> held + permits <= ticket.limit();
    };
  }

  /** Whether, once it has left the queue, the next fair waiter may be granted beside it. */
  boolean letsNextIn() {
    return ownPlace().isPresent()
        && ticket.mode() != LockMode.EXCLUSIVE
        && others.stream()
            .filter(o -> o.waits() && o.fair() && !o.is(ticket))
            .findFirst()
            .filter(o -> o.mode().equals(ticket.mode().name()))
            .filter(o -> hasRoomFor(ticket.permits() + o.permits()))
            .isPresent();
  }

  private static boolean holds(Other other) {
    return !other.waits() && other.isLive() && !other.isWithdrawn();
  }

  /** Whether it is a waiter that must be served first. */
  private boolean isBeforeIt(Other other) {
    boolean binds =
        (other.fair() && ticket.fair())
            || (other.mode().equals(EXCLUSIVE) && ticket.mode() == LockMode.SHARED);
    return other.waits() && binds && !other.is(ticket) && other.number() < place();
  }

  private long place() {
    return ownPlace().map(Other::number).orElse(Long.MAX_VALUE);
  }

  /** Its own row among those who wait. */
  Optional<Other> ownPlace() {
    return others.stream().filter(o -> o.waits() && o.is(ticket)).findFirst();
  }

  /** How many wait before it. */
  int waitBefore() {
    long own = place();
    return (int)
        others.stream().filter(o -> o.waits() && !o.is(ticket) && o.number() < own).count();
  }

  /** Who holds, readable. */
  String holder() {
    return row.remaining() > 0
        ? row.holder()
        : others.stream().filter(Admission::holds).findFirst().map(Other::holder).orElse("");
  }

  /** What it is told while it is not admitted. */
  Attempt refused() {
    return ticket.fair()
        ? new Attempt.Queued(waitBefore(), holder())
        : new Attempt.Busy(LeaseTable.duration(soonest()), holder());
  }

  /** When something of what is held ends by itself, at the earliest; 0 if nothing is held. */
  long soonest() {
    long shared =
        others.stream().filter(Admission::holds).mapToLong(Other::remaining).min().orElse(0);
    return row.remaining() > 0 ? row.remaining() : shared;
  }

  boolean isWanted() {
    return wantedFor() > 0;
  }

  /** How long another may wait. */
  long wantedFor() {
    return others.stream()
        .filter(o -> o.waits() && !o.is(ticket))
        .mapToLong(Other::remaining)
        .max()
        .orElse(0);
  }

  /** How long there is anything that an exclusive attempt must look at. */
  long othersFor() {
    return others.stream()
        .filter(o -> o.isLive() && o.isInTheWay() && !o.is(ticket))
        .mapToLong(Other::remaining)
        .max()
        .orElse(0);
  }

  /** A shared lease that has ended, whose row may be used again. */
  Optional<Other> ended() {
    return others.stream().filter(o -> !o.waits() && !o.isLive()).findFirst();
  }
}
