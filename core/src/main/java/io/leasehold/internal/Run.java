package io.leasehold.internal;

import io.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fair callers of this process that stand directly behind a lease in the store's queue: it is
 * handed along them, in their order and without a request. The places of those that were served
 * stay in the store until the lease is released, which takes them with it; if it is lost instead,
 * they are withdrawn, and the others still have theirs. Guarded by its queue's mutex.
 */
final class Run {
  /** For so long does it go on: the store lists the served as waiting until it ends. */
  private static final long LONGEST_NANOS = 1_000_000_000;

  private final Grant grant;
  private final long began;
  private final Iterator<Contender> behind;
  private final List<Contender> served = new ArrayList<>();
  private final List<LeaseId> ids = new ArrayList<>();

  Run(Grant grant, List<Contender> behind) {
    this.grant = grant;
    this.began = grant.queue.engine.clock.nanos();
    this.behind = behind.iterator();
  }

  /**
   * The contenders of these places behind one that is granted, up to the first on other terms.
   * Their requests may have overtaken each other on the way to the store: all the places stand
   * together, so their callers share them out in the order in which they were called.
   */
  static List<Contender> behind(Contender granted, List<LeaseId> places) {
    Waiter first = granted.only;
    if (places.isEmpty() || first == null) {
      return List.of();
    }
    List<Contender> behind = new ArrayList<>(places.size());
    List<Waiter> callers = new ArrayList<>(places.size() + 1);
    callers.add(first);
    for (LeaseId place : places) {
      Contender each = granted.queue().engine.contenders.get(place);
      Waiter caller = each == null ? null : waiting(each, granted.queue());
      if (each == null || caller == null) {
        continue;
      }
      if (!first.terms.runsOnTo(caller.terms)) {
        break;
      }
      behind.add(each);
      callers.add(caller);
    }
    callers.sort((a, b) -> Long.signum(a.since - b.since));
    granted.contendFor(callers.get(0));
    for (int i = 0; i < behind.size(); i++) {
      behind.get(i).contendFor(callers.get(i + 1));
    }
    return behind;
  }

  /** A caller may have given up, or contend by another ticket since this one was used up. */
  private static @Nullable Waiter waiting(Contender contender, NameQueue queue) {
    Waiter caller = contender.only;
    boolean waits =
        contender.queue() == queue
            && caller != null
            && caller.own == contender
            && caller.outcome() == null;
    return waits ? caller : null;
  }

  /** Serves the next one by its place, if the lease may still be handed on; null if none is. */
  @Nullable Waiter next(long now) {
    while (behind.hasNext() && !isOver(now)) {
      Contender next = behind.next();
      Waiter caller = waiting(next, grant.queue);
      if (caller != null) {
        next.serveBy(grant);
        served.add(next);
        ids.add(next.ticket.id());
        return caller;
      }
    }
    return null;
  }

  private boolean isOver(long now) {
    return !grant.isSafe(now) || now - began > LONGEST_NANOS || grant.queue.engine.isClosed();
  }

  /** Whose places are used up. Does not change once the release is sent. */
  List<LeaseId> served() {
    return Collections.unmodifiableList(ids);
  }

  /** The release is sent, which takes the places of the served with it. */
  void leaving() {
    served.forEach(Contender::leaving);
  }

  /** The lease is over: withdraws what the store may still have of the served. */
  void settle(boolean known, Steps steps) {
    for (Contender each : served) {
      grant.queue.engine.contenders.remove(each.ticket.id());
      each.settle(known || each.endedLate(), steps);
    }
  }
}
