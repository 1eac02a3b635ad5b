package io.leasehold.gallery;

import io.leasehold.Lease;
import java.time.Duration;
import java.util.Optional;

/** What several scenarios are on Leasehold. */
final class OnLeasehold {
  private static final Duration PAST_THE_TTL = LeaseholdClient.TTL.plusSeconds(1);

  private OnLeasehold() {}

  /** The holder is killed: the next one waits for the ttl, and has the lock. */
  static void holderDies(Stage stage, Scenery store) throws Exception {
    LeaseholdClient a = store.leasehold("A");
    LeaseholdClient b = store.leasehold("B");
    a.acquires("invoice");
    a.dies();
    stage.harm(Harm.TWO_HOLDERS, b.tries("invoice").isPresent());
    store.passes(LeaseholdClient.TTL);
    Optional<Lease> lease = b.tries("invoice");
    stage.harm(Harm.LOCKED_FOR_EVER, lease.isEmpty());
    if (lease.isPresent()) {
      b.releases(lease.get());
    }
  }

  /** A release comes when the lock is another's: it changes nothing. */
  static void lateRelease(Stage stage, Scenery store) throws Exception {
    LeaseholdClient a = store.leasehold("A");
    LeaseholdClient b = store.leasehold("B");
    LeaseholdClient c = store.leasehold("C");
    Lease late = a.acquires("invoice");
    a.lane().leaves("is done");
    a.lane().stops("is stopped before release()");
    store.passes(PAST_THE_TTL);
    Lease lease = b.acquires("invoice");
    a.lane().wakes("goes on");
    a.releasesLate(late);
    stage.harm(Harm.TWO_HOLDERS, c.tries("invoice").isPresent());
    b.releases(lease);
    stage.verdict("A release names its own lease, and is one step in the store.");
  }

  /** One has it, the other is refused until it is let go. */
  static void oneAtATime(Stage stage, Scenery store, String verdict) throws Exception {
    LeaseholdClient a = store.leasehold("A");
    LeaseholdClient b = store.leasehold("B");
    Lease lease = a.acquires("invoice");
    stage.harm(Harm.TWO_HOLDERS, b.tries("invoice").isPresent());
    a.releases(lease);
    Optional<Lease> next = b.tries("invoice");
    stage.harm(Harm.NOT_RELEASED, next.isEmpty());
    if (next.isPresent()) {
      b.releases(next.get());
    }
    stage.verdict(verdict);
  }

  /** Two come at once for a lock whose holder died: one has it. */
  static void oneOfTwo(Stage stage, Scenery store, String verdict) throws Exception {
    LeaseholdClient a = store.leasehold("A");
    LeaseholdClient b = store.leasehold("B");
    LeaseholdClient c = store.leasehold("C");
    a.acquires("invoice");
    a.dies();
    store.passes(PAST_THE_TTL);
    Lease lease = b.acquires("invoice");
    stage.harm(Harm.TWO_HOLDERS, c.tries("invoice").isPresent());
    b.releases(lease);
    stage.verdict(verdict);
  }
}
