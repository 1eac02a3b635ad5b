package io.leasehold.internal;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Asks the store about the tickets that wait: whether they may attempt now, and so that their
 * places stay alive. Each has an interval of its own, which grows as it waits; what is due soon is
 * asked about with what is due now, so those that wait for long are soon one batch. The only poller
 * there is. Its mutex is taken after a queue's.
 */
final class Poller {
  private static final int GROWTH_PERCENT = 150;

  /** A lost answer must not stop the polling for longer than a lost wake-up may cost (R11). */
  private static final long LONGEST_WITHIN_NANOS = 1_000_000_000;

  private final Engine engine;
  private final long within;
  private final ReentrantLock mutex = new ReentrantLock();
  private final Map<LeaseId, Waiting> waiting = new LinkedHashMap<>();
  private final EarliestTimer timer;

  /** Tickets of the last batch that are not answered. */
  private int unanswered;

  private long batchEnds;

  /** Whether some were due meanwhile: they are asked about once it is answered. */
  private boolean postponed;

  /** A ticket, and when it is asked about next. */
  private static final class Waiting {
    final Contender contender;
    long interval;
    long at;

    Waiting(Contender contender, long interval, long at) {
      this.contender = contender;
      this.interval = interval;
      this.at = at;
    }

    /** Two groups that are asked about at different times come together by this. */
    boolean isDueSoon(long now) {
      return at - now <= interval / 2;
    }
  }

  Poller(Engine engine) {
    this.engine = engine;
    this.within = Math.min(engine.requestNanos, LONGEST_WITHIN_NANOS);
    this.timer = new EarliestTimer(engine.scheduler, this::poll);
  }

  /**
   * Begins to ask about a ticket.
   *
   * @param retryAfter when it may come free by itself; zero if not known
   */
  void add(Contender contender, Duration retryAfter) {
    mutex.lock();
    try {
      long interval = longest(contender, Durations.nanos(engine.traits.poll().shortest()));
      long first = retryAfter.isZero() ? interval : Math.min(interval, Durations.nanos(retryAfter));
      long now = engine.clock.nanos();
      waiting.put(contender.ticket.id(), new Waiting(contender, interval, now + first));
      timer.runIn(first, now);
    } finally {
      mutex.unlock();
    }
  }

  void remove(Contender contender) {
    mutex.lock();
    try {
      waiting.remove(contender.ticket.id());
    } finally {
      mutex.unlock();
    }
  }

  /**
   * A place in the store's queue lives as long as the ticket's ttl: it must be asked about more
   * often than that.
   */
  private static long longest(Contender contender, long interval) {
    return Math.min(interval, contender.terms.ttlNanos() / 3);
  }

  private void poll() {
    Map<LeaseId, Contender> asked = batch();
    if (asked.isEmpty()) {
      return;
    }
    engine.calls.poll(() -> ask(asked));
  }

  private Map<LeaseId, Contender> batch() {
    mutex.lock();
    try {
      if (waiting.isEmpty()) {
        return Map.of();
      }
      long now = engine.clock.nanos();
      if (unanswered > 0 && now - batchEnds < 0) {
        postponed = true;
        timer.runIn(batchEnds - now, now);
        return Map.of();
      }
      postponed = false;
      Map<LeaseId, Contender> due = takeDue(now);
      unanswered = due.size();
      batchEnds = now + within;
      return due;
    } finally {
      mutex.unlock();
    }
  }

  private Map<LeaseId, Contender> takeDue(long now) {
    long longest = Durations.nanos(engine.traits.poll().longest());
    Map<LeaseId, Contender> due = new LinkedHashMap<>();
    long next = now + longest;
    for (Waiting one : waiting.values()) {
      if (one.isDueSoon(now)) {
        due.put(one.contender.ticket.id(), one.contender);
        one.interval =
            longest(one.contender, Math.min(longest, one.interval / 100 * GROWTH_PERCENT));
        one.at = now + one.interval;
      }
      if (one.at - next < 0) {
        next = one.at;
      }
    }
    timer.runIn(next - now, now);
    return due;
  }

  private void ask(Map<LeaseId, Contender> asked) {
    List<Ticket> tickets = new ArrayList<>(asked.size());
    asked.values().forEach(contender -> tickets.add(contender.ticket));
    engine.calls.renew(
        engine.store,
        tickets,
        Duration.ofNanos(within),
        (id, answer) -> {
          Contender contender = asked.get(id);
          if (contender != null) {
            answered(contender, answer);
          }
        });
  }

  private void answered(Contender contender, Renewal answer) {
    mutex.lock();
    try {
      unanswered = Math.max(0, unanswered - 1);
      if (unanswered == 0 && postponed) {
        timer.runIn(0, engine.clock.nanos());
      }
    } finally {
      mutex.unlock();
    }
    Log.guarded(
        "a poll's answer could not be taken",
        () -> contender.queue().locked(steps -> contender.polled(answer, steps)));
  }
}
