package io.leasehold.testkit.simulation;

import io.leasehold.spi.Release;
import io.leasehold.spi.Ticket;
import java.util.ArrayList;
import java.util.List;

/** What the judge knows of one lease id. */
final class Acquisition {
  final SimulatedProcess process;
  final String name;
  final Ticket ticket;
  final long ttl;

  /** The handle that was given out last; null before the first. */
  Handle last;

  /** All that were given out; more than one at a time only of a shared lease. */
  final List<Handle> handles = new ArrayList<>(1);

  // What was sent for it, and how that ended.

  long lastSent;
  long renewSent;
  boolean withdrawSent;
  boolean releaseSent;
  Release released;
  boolean removalAnswered;

  /** By the clock of its process. */
  long removalSent;

  /** The handle whose release was asked for last; null before the first. */
  Handle lastAsked;

  long endedAt;
  int attemptsUnderWay;
  int attemptsUnknown;

  // What the engine was told: that it is granted, until when, and whether others wait.

  boolean heldOnce;
  boolean toldBusy;
  long heardOf;
  boolean valid;
  long validSent;

  /** When the engine began to count on it: when the request was sent, or it was told. */
  long begins;

  long wordSent;
  long validUntil;
  long validBefore;
  long validChanged;
  boolean wanted;
  long wantedSince;

  // What the engine told.

  boolean acquired;
  boolean endangered;
  boolean lostTold;

  // What is true at the store.

  boolean granted;

  /** The number of the last grant that the judge knows of. */
  private long number;

  boolean grantedUnseen;
  long unseenSince;
  boolean queued;
  long queuedAt;
  int place;
  boolean lapsed;

  /** When its place runs out unless it asks again. */
  long placeEnds = Long.MAX_VALUE;

  boolean watched;

  /** Taken away, or cut short, so that its holder may believe in it for a while. */
  boolean revoked;

  boolean shortened;
  long shortenedAt;

  Acquisition(SimulatedProcess process, Ticket ticket) {
    this.process = process;
    this.name = ticket.name();
    this.ticket = ticket;
    this.ttl = ticket.ttl().toNanos();
  }

  /** A grant that is not confirmed in time falls back, and comes anew in another's turn. */
  void grantedAs(long newer) {
    lapsed |= number > 0 && newer != number;
    number = newer;
  }

  int kind() {
    return Wish.kind(ticket.mode(), ticket.limit());
  }

  void isGivenTo(Handle handle) {
    last = handle;
    handles.add(handle);
  }

  /** Whether any of its handles is still in its holder's hands. */
  boolean isOpen() {
    return handles.stream().anyMatch(Handle::isOpen);
  }

  /** Until when it is valid by this answer. */
  void isValid(long sentAt, long remaining, long time) {
    if (!valid || sentAt - validSent >= 0) {
      valid = true;
      validSent = sentAt;
      begins = sentAt;
      long until = sentAt + remaining - remaining / 100 - 2 * Plan.MS;
      validBefore = validChanged == 0 ? until : validUntil;
      validUntil = until;
      validChanged = time;
    }
  }

  void isWanted(boolean now) {
    if (now && !wanted) {
      wantedSince = process.nanos();
    }
    wanted = now;
  }
}
