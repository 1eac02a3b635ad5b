package io.leasehold.internal;

import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Grant.Phase;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the leases that are held: renews them at a third of their ttl, together with those that are
 * due soon, and notices jeopardy, expiry and the end of the longest life. One timer, whatever the
 * number of leases.
 */
final class LeaseKeeper {
  /** So that a lease whose end must wait for a request under way is not looked at all the time. */
  private static final long LEAST_PAUSE_NANOS = 1_000_000;

  private static final long SHORTEST_RETRY_NANOS = 20_000_000;
  private static final long LONGEST_RETRY_NANOS = 500_000_000;

  /**
   * All that are renewed together count from the sending of one request. On a store where a batch
   * is a transaction fewer are better.
   */
  private static final int MOST_IN_A_BATCH = 5_000;

  private final Engine engine;
  private final Map<LeaseId, Grant> leases = new ConcurrentHashMap<>();

  private final EarliestTimer timer;

  LeaseKeeper(Engine engine) {
    this.engine = engine;
    this.timer = new EarliestTimer(engine.scheduler, this::look);
  }

  int size() {
    return leases.size();
  }

  @Nullable Grant find(LeaseId id) {
    return leases.get(id);
  }

  Collection<Grant> all() {
    return leases.values();
  }

  void add(Grant grant) {
    scheduleRenewal(grant);
    leases.put(grant.ticket.id(), grant);
    attend(grant);
  }

  /** Looks at a lease when it needs it next, from what is known of it now. */
  void attend(Grant grant) {
    long now = engine.clock.nanos();
    timer.runIn(attentionIn(grant, now), now);
  }

  /** It may be gone: asks about it before its time. */
  void doubt(Grant grant) {
    grant.renewAt = engine.clock.nanos();
    attend(grant);
  }

  /** It is renewed no more; a batch that is being sent may still bring one renewal after it. */
  void remove(Grant grant) {
    leases.remove(grant.ticket.id());
  }

  private void scheduleRenewal(Grant grant) {
    long third = grant.life() / 3;
    grant.renewAt = grant.validity().begins() + third - jitter(grant.ticket.id(), third / 10);
  }

  /** Up to {@code most}: spreads leases that were granted together. */
  private static long jitter(LeaseId id, long most) {
    return most <= 0 ? 0 : Math.floorMod(id.sequence() * 0x9E3779B97F4A7C15L, most);
  }

  // ---- the timer

  /** When this lease needs to be looked at next. */
  private static long attentionIn(Grant grant, long now) {
    long in = grant.validity().until() - now;
    if (grant.terms.renewed()) {
      in = Math.min(in, grant.renewAt - now);
      if (!grant.endangered) {
        in = Math.min(in, grant.jeopardyAt() - now);
      }
    }
    return grant.phase == Phase.HELD ? Math.min(in, grant.longestLifeLeft(now)) : in;
  }

  private void look() {
    long now = engine.clock.nanos();
    List<Grant> due = new ArrayList<>();
    long next = Long.MAX_VALUE;
    for (Grant grant : leases.values()) {
      if (isDue(grant, now)) {
        due.add(grant);
      }
      if (grant.isKept()) {
        next = Math.min(next, attentionIn(grant, now));
      }
      if (due.size() == MOST_IN_A_BATCH) {
        // Before the others are looked at: these are still in the processor's cache
        renew(due, next, now);
        due = new ArrayList<>();
      }
    }
    renew(due, next, now);
  }

  /** What goes wrong with one lease must not leave the others unattended. */
  private boolean isDue(Grant grant, long now) {
    try {
      return look(grant, now);
    } catch (RuntimeException | Error e) {
      Log.error("lease " + grant.ticket.id() + " could not be looked at", e);
      return false;
    }
  }

  /** Notices what has become of a lease; true if it is to be renewed now. */
  private boolean look(Grant grant, long now) {
    if (!grant.isKept()) {
      return false;
    }
    if (grant.validity().isOver(now) || (grant.phase == Phase.HELD && grant.hasLivedLongest(now))) {
      grant.queue.locked(steps -> grant.queue.leases.expire(grant, steps));
      return false;
    }
    if (!grant.terms.renewed()) {
      return false;
    }
    if (now - grant.jeopardyAt() >= 0 && !grant.endangered) {
      grant.queue.locked(steps -> grant.queue.leases.endanger(grant, steps));
    }
    // Together with others that are due soon
    long early = grant.life() / 6;
    if (grant.renewAt - now > early && !grant.validity().isInDoubt(engine.clock)) {
      return false;
    }
    grant.renewAt = now + Math.max(2 * early, SHORTEST_RETRY_NANOS);
    return true;
  }

  // ---- renewal

  private void renew(List<Grant> due, long next, long now) {
    if (next != Long.MAX_VALUE) {
      timer.runIn(Math.max(LEAST_PAUSE_NANOS, next), now);
    }
    if (!due.isEmpty()) {
      RenewalBatch batch = new RenewalBatch(due);
      Log.guarded("leases could not be renewed this time", () -> engine.calls.renewal(batch));
    }
  }

  /** Takes the answer to a renewal. Under the queue's mutex. */
  void answered(Grant grant, Renewal answer, long sent, long sentWall, Steps steps) {
    if (!grant.isKept()) {
      return;
    }
    long now = engine.clock.nanos();
    if (grant.validity().isOver(now)) {
      // What has run out stays over, though the store would have gone on: isHeld() was false.
      grant.queue.leases.expire(grant, steps);
    } else if (answer instanceof Renewal.Renewed renewed) {
      renewed(grant, renewed, Validity.of(sent, sentWall, renewed.remaining()), now);
    } else if (answer instanceof Renewal.Gone) {
      grant.queue.leases.lose(grant, Reason.GONE, steps);
    } else {
      if (answer instanceof Renewal.Unknown unknown) {
        failed(grant, unknown.cause());
      }
      long retry = Math.max(grant.life() / 12, SHORTEST_RETRY_NANOS);
      retry = Math.min(retry, LONGEST_RETRY_NANOS);
      grant.renewAt = now + retry;
      timer.runIn(retry, now);
    }
  }

  private void failed(Grant grant, Throwable cause) {
    Flight.renewalFailed(grant, cause);
    engine.events.emit(
        () ->
            new LockEvent.RenewalFailed(
                grant.ticket.name(),
                grant.ticket.id().toString(),
                String.valueOf(cause.getMessage())));
  }

  private void renewed(Grant grant, Renewal.Renewed answer, Validity newer, long now) {
    grant.renewed(newer, answer.wanted());
    if (now - grant.jeopardyAt() < 0) {
      grant.queue.leases.rescue(grant);
    }
    scheduleRenewal(grant);
    timer.runIn(attentionIn(grant, now), now);
    engine.events.emit(
        () ->
            new LockEvent.Renewed(
                grant.ticket.name(), grant.ticket.id().toString(), answer.remaining()));
  }

  /** Renews one lease outside of its time. */
  CompletionStage<Renewal> renewOne(Grant grant, Duration within) {
    return renewOne(grant, grant.ticket, within);
  }

  /** As {@link #renewOne(Grant, Duration)}, by a ticket that may have another ttl. */
  CompletionStage<Renewal> renewOne(Grant grant, Ticket ticket, Duration within) {
    CompletableFuture<Renewal> answer = new CompletableFuture<>();
    engine.calls.renew(
        engine.store,
        List.of(ticket),
        within,
        (id, renewal) -> {
          if (renewal instanceof Renewal.Gone) {
            // Also if no caller waits for the answer any more
            grant.queue.locked(steps -> grant.queue.leases.lose(grant, Reason.GONE, steps));
          }
          answer.complete(renewal);
        });
    return answer.thenApply(
        renewal -> {
          if (renewal instanceof Renewal.Unknown unknown) {
            throw StoreCalls.asStoreException(unknown.cause());
          }
          return renewal;
        });
  }

  /** Renews one lease now, and waits for the answer. */
  void renewNow(Grant grant) {
    long sent = engine.clock.nanos();
    long sentWall = engine.clock.wallMillis();
    Renewal answer =
        engine.calls.callAndWait(() -> renewOne(grant, engine.requestTimeout), engine.requestNanos);
    grant.queue.locked(steps -> answered(grant, answer, sent, sentWall, steps));
  }

  /** Leases that are renewed together, by one request, and the way of its answers back to them. */
  private final class RenewalBatch implements Runnable, BiConsumer<LeaseId, Renewal> {
    private static final long SHORTEST_WITHIN_NANOS = 20_000_000;

    private final List<Grant> grants;
    private long sent;
    private long sentWall;

    /** On whose thread it is sent; what is answered there comes one after another. */
    private @Nullable Thread sender;

    /** How many were answered there, as long as they are in order. */
    private int inOrder;

    RenewalBatch(List<Grant> grants) {
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
      Grant grant = onSender ? next(id) : find(id);
      if (grant != null) {
        take(grant, answer);
      }
    }

    /** Finds a lease by its id; at once if the answers come in order. */
    private @Nullable Grant next(LeaseId id) {
      if (inOrder < grants.size() && grants.get(inOrder).ticket.id().equals(id)) {
        return grants.get(inOrder++);
      }
      return find(id);
    }

    private void take(Grant grant, Renewal answer) {
      try {
        grant.queue.locked(steps -> answered(grant, answer, sent, sentWall, steps));
      } catch (RuntimeException | Error e) {
        // It must not keep the others from their answers
        Log.error(
            "lease " + grant.ticket.id() + ": the answer to its renewal could not be taken", e);
      }
    }
  }
}
