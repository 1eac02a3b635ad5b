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
  private final Iterator<LeaseId> behind;
  private final List<Contender> served = new ArrayList<>();
  private final List<LeaseId> ids = new ArrayList<>();

  Run(Grant grant, List<LeaseId> behind) {
    this.grant = grant;
    this.began = grant.queue.engine.clock.nanos();
    this.behind = behind.iterator();
  }

  /** Serves the next one by its place, if the lease may still be handed on; null if none is. */
  @Nullable Waiter next(long now) {
    Contender next = isOver(now) ? null : firstThatWaits();
    Waiter caller = next == null ? null : next.only;
    if (next == null || caller == null || !grant.terms.runsOnTo(caller.terms)) {
      return null;
    }
    next.serveBy(grant);
    served.add(next);
    ids.add(next.ticket.id());
    return caller;
  }

  private boolean isOver(long now) {
    return !grant.isSafe(now) || now - began > LONGEST_NANOS || grant.queue.engine.isClosed();
  }

  /** Whoever gave up has no ticket any more. */
  private @Nullable Contender firstThatWaits() {
    while (behind.hasNext()) {
      Contender contender = grant.queue.engine.contenders.get(behind.next());
      if (contender != null && contender.queue() == grant.queue) {
        return contender;
      }
    }
    return null;
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
