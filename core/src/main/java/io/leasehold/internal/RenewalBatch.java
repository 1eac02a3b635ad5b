package io.leasehold.internal;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Leases that are renewed together, by one request, and the way of its answers back to them. */
final class RenewalBatch implements Runnable, BiConsumer<LeaseId, Renewal> {
  private static final long SHORTEST_WITHIN_NANOS = 20_000_000;

  private final Engine engine;
  private final List<Grant> grants;
  private long sent;
  private long sentWall;

  /** On whose thread it is sent; what is answered there comes one after another. */
  private @Nullable Thread sender;

  /** How many were answered there, as long as they are in order. */
  private int inOrder;

  RenewalBatch(Engine engine, List<Grant> grants) {
    this.engine = engine;
    this.grants = grants;
  }

  /** Sends it. Without any mutex. */
  @Override
  public void run() {
    grants.removeIf(grant -> !grant.isKept());
    if (grants.isEmpty()) {
      return;
    }
    List<Ticket> tickets = new ArrayList<>(grants.size());
    long shortest = engine.requestNanos;
    for (Grant grant : grants) {
      tickets.add(grant.ticket);
      // So that a renewal whose answer is lost can be repeated within the shortest of the leases
      shortest = Math.min(shortest, grant.life() / 4);
    }
    sender = Thread.currentThread();
    sent = engine.clock.nanos();
    sentWall = engine.clock.wallMillis();
    Duration within = Duration.ofNanos(Math.max(shortest, SHORTEST_WITHIN_NANOS));
    engine.calls.renew(engine.store, tickets, within, this);
  }

  /** Takes the answer for one ticket, on any thread. */
  @Override
  public void accept(LeaseId id, Renewal answer) {
    boolean onSender = Thread.currentThread().equals(sender);
    Grant grant = onSender ? next(id) : engine.keeper.find(id);
    if (grant != null) {
      take(grant, answer);
    }
  }

  /** Finds a lease by its id; at once if the answers come in order. */
  private @Nullable Grant next(LeaseId id) {
    if (inOrder < grants.size() && grants.get(inOrder).ticket.id().equals(id)) {
      return grants.get(inOrder++);
    }
    return engine.keeper.find(id);
  }

  private void take(Grant grant, Renewal answer) {
    try {
      grant.queue.locked(steps -> engine.keeper.answered(grant, answer, sent, sentWall, steps));
    } catch (RuntimeException | Error e) {
      // It must not keep the others from their answers
      Log.error("lease " + grant.ticket.id() + ": the answer to its renewal could not be taken", e);
    }
  }
}
