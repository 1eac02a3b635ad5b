package io.leasehold.testkit.simulation;

import io.leasehold.internal.Hold;
import io.leasehold.spi.LeaseId;

/** A lease in the hands of a caller, as the judge sees it. */
final class Handle {
  final Call call;
  final Hold hold;
  final LeaseId id;
  final long token;
  final long grantedAt;
  final long grantedOwn;
  boolean releaseAsked;
  boolean releaseEnded;
  boolean released;
  int lost;
  int lostEvents;

  /** When it was first seen not to be held without a reason, on its process's clock; 0 if it is. */
  long overSince;

  boolean wasOver;

  Handle(Call call, Hold hold, long token, long grantedAt) {
    this.call = call;
    this.hold = hold;
    this.id = LeaseId.parse(hold.leaseId());
    this.token = token;
    this.grantedAt = grantedAt;
    this.grantedOwn = call.process.nanos();
  }

  /** Whether its holder has neither let go of it nor been told that it is lost. */
  boolean isOpen() {
    return !releaseAsked && lost == 0 && call.process.isAlive();
  }
}
