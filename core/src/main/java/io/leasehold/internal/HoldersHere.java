package io.leasehold.internal;

import io.leasehold.LockSnapshot;
import io.leasehold.LockSnapshot.Holder;
import io.leasehold.spi.LeaseId;
import java.util.List;
import java.util.Optional;

/**
 * The store knows who took a lease. Who has it since it was handed over inside this process is
 * known here alone, and put into what this client lists.
 */
final class HoldersHere {
  private HoldersHere() {}

  static List<LockSnapshot> in(List<LockSnapshot> found, LeaseKeeper keeper) {
    return found.stream()
        .map(
            lock ->
                new LockSnapshot(
                    lock.name(),
                    lock.holders().stream().map(holder -> current(holder, keeper)).toList(),
                    lock.waiters()))
        .toList();
  }

  private static Holder current(Holder known, LeaseKeeper keeper) {
    return id(known)
        .map(keeper::find)
        .map(grant -> grant.queue.compute(steps -> grant.holder()))
        .map(
            holder ->
                new Holder(
                    known.leaseId(),
                    holder,
                    known.mode(),
                    known.permits(),
                    known.fencingToken(),
                    known.heldFor(),
                    known.remaining()))
        .orElse(known);
  }

  /** Empty if it is not one of a client's: somebody may have written into the store by hand. */
  private static Optional<LeaseId> id(Holder known) {
    try {
      return Optional.of(LeaseId.parse(known.leaseId()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
