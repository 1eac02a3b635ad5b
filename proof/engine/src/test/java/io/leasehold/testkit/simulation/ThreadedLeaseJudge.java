package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.StoreException;
import io.leasehold.spi.LeaseId;
import io.leasehold.testkit.simulation.ThreadedCall.Holding;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Judges leases where callers have threads: who holds, what they are told, who is served next. */
final class ThreadedLeaseJudge {
  private final List<Holding> holdings = new ArrayList<>();
  private final ThreadedWorld world;
  private final ThreadedJudge judge;
  private final Map<LeaseId, Integer> releases = new HashMap<>();
  private final Map<String, Map<String, Long>> highest = new HashMap<>();
  private final Set<String> tokens = new HashSet<>();
  private final Set<LeaseId> revoked = new HashSet<>();

  /** Since when no caller has had a name, though one waits for it. */
  private final Map<String, Long> unclaimedSince = new HashMap<>();

  ThreadedLeaseJudge(ThreadedWorld world, ThreadedJudge judge) {
    this.world = world;
    this.judge = judge;
  }

  List<Holding> all() {
    return holdings;
  }

  void releaseSent(LeaseId id) {
    releases.merge(id, 1, Integer::sum);
  }

  /** An operator broke it: until it is told, its holder may believe in it, and hand it on. */
  void revoked(LeaseId id) {
    revoked.add(id);
  }

  /** The highest token so far of those who cannot hold the name beside this wish. */
  long floor(String name, Wish wish) {
    long floor = 0;
    for (Map.Entry<String, Long> e : highest.getOrDefault(name, Map.of()).entrySet()) {
      if (wish.isAlone() || !e.getKey().equals(wish.mode() + " " + wish.limit())) {
        floor = Math.max(floor, e.getValue());
      }
    }
    return floor;
  }

  Holding begins(ThreadedCall call, Lease lease) {
    Holding h = new Holding(call, lease, world.time.now());
    int which = call.names.indexOf(h.name);
    boolean rises = which >= 0 && (h.token > call.floors.get(which) || revoked.contains(h.id));
    if (!rises || !tokens.add(h.name + " " + h.token)) {
      judge.fail(Check.TOKENS, h + " got token " + h.token + " after " + call.floors);
    }
    highest
        .computeIfAbsent(h.name, n -> new HashMap<>())
        .merge(call.wish.mode() + " " + call.wish.limit(), h.token, Math::max);
    holdings.add(h);
    return h;
  }

  void expired(LeaseId id) {
    for (Holding h : holdings) {
      boolean healthy = world.healthySince(h.name) < world.time.now() - 2 * h.call.wish.ttl();
      if (h.id.equals(id)
          && healthy
          && h.call.wish.renewed()
          && !judge.wasSlow("logger", h.grantedAt)) {
        judge.fail(
            Check.LOSS_CAUSE,
            h + " was not renewed in time, though the store answers all that is asked for it");
      }
    }
  }

  void releaseAsked(Holding h) {
    h.releaseAsked = true;
    world.trace.line(Strand.current().name, h + " release");
  }

  void releaseEnded(Holding h, long askedAt, Throwable failure) {
    h.released = true;
    holdings.remove(h);
    if (world.trace.on()) {
      String how = failure == null ? "" : " " + failure.getClass().getSimpleName();
      world.trace.line(Strand.current().name, h + " released" + how);
    }
    if (h.lease.isHeld()) {
      judge.fail(Check.REVIVED, h + " is held after its release");
    }
    if (failure instanceof StoreException e) {
      world.saw(Situation.RELEASE_FAILED);
      long took = world.time.now() - askedAt;
      boolean asked = releases.getOrDefault(h.id, 0) > 1;
      boolean early = took < world.plan.requestTimeout / 2;
      if (!asked && early && e.failure() == StoreException.Failure.UNKNOWN_OUTCOME) {
        judge.fail(
            Check.RELEASE_REPEATED,
            h + " failed to release after " + Judge.ms(took) + ", asked for once");
      }
    } else if (failure != null
        && !(failure instanceof LeaseLostException)
        && !SimulatedFaults.isOurs(failure)) {
      judge.fail(Check.FAILURE, h + " failed to release with " + failure);
    }
  }

  void lost(Holding h) {
    if (h.lostTold) {
      judge.fail(Check.LOSS_TOLD, h + " was told twice that it is lost");
    }
    if (h.released) {
      judge.fail(Check.LOSS_TOLD, h + " was told that it is lost after its release had returned");
    }
    h.lostTold = true;
    world.saw(Situation.LOST);
    world.trace.line(h.call.process.name, h + " lost");
  }

  // ---- at every instant

  void look() {
    for (int i = 0; i < holdings.size(); i++) {
      Holding h = holdings.get(i);
      if (h.lease.isHeld()) {
        if (h.overSince != 0 || h.released) {
          judge.fail(Check.REVIVED, h + " is held again");
        }
        for (int j = 0; j < i; j++) {
          mustGoTogether(holdings.get(j), h);
        }
      } else if (h.isOpen()) {
        mustBeTold(h);
      }
    }
    for (int i = 0; i < world.plan.uses.names(); i++) {
      mustBeServed(Uses.name(i));
    }
  }

  private void mustGoTogether(Holding a, Holding b) {
    if (!a.name.equals(b.name)
        || revoked.contains(a.id)
        || revoked.contains(b.id)
        || !a.lease.isHeld()) {
      return;
    }
    Wish one = a.call.wish;
    Wish two = b.call.wish;
    boolean goes = one.mode() == two.mode() && !one.isAlone();
    if (goes && one.isPermits()) {
      goes =
          holdings.stream()
                  .filter(h -> h.name.equals(a.name) && h.lease.isHeld() && !revoked.contains(h.id))
                  .mapToInt(h -> h.call.wish.permits())
                  .sum()
              <= one.limit();
    }
    if (!goes) {
      judge.fail(Check.EXCLUSION, a.name + " is held by " + a + " and " + b);
    }
  }

  private void mustBeTold(Holding h) {
    long now = world.time.now();
    if (h.overSince == 0) {
      h.overSince = now;
    }
    boolean excused =
        judge.wasSlow("callback", h.overSince) || judge.wasSlow("logger", h.overSince);
    if (now - h.overSince > 50 * Plan.MS + judge.slack() && !excused) {
      judge.fail(Check.LOSS_TOLD, h + " is over, and its holder was not told");
    }
  }

  /** R11: a lock that no caller has goes to one that waits for it, if the store answers. */
  private void mustBeServed(String name) {
    long now = world.time.now();
    boolean waited = false;
    for (ThreadedCall call : judge.pending) {
      waited |= !call.isForSeveral() && !call.wish.isTry() && call.names.contains(name);
      if (call.isForSeveral() && call.names.contains(name)) {
        unclaimedSince.remove(name);
        return;
      }
    }
    for (Holding h : holdings) {
      if (h.name.equals(name)) {
        unclaimedSince.remove(name);
        return;
      }
    }
    if (!waited) {
      unclaimedSince.remove(name);
      return;
    }
    long since = Math.max(unclaimedSince.computeIfAbsent(name, n -> now), world.healthySince(name));
    long poll = world.plan.store.poll().longest().toNanos();
    if (now - since > poll + ThreadedJudge.COURTESY + 10 * judge.slack()
        && !judge.wasSlow("logger", since)) {
      judge.fail(Check.WAKE_UP, name + " is free and waited for, and its store answers");
    }
  }
}
