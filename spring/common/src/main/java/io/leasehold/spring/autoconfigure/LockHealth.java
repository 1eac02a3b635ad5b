package io.leasehold.spring.autoconfigure;

import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether the store answers, and the leases are renewed. What both lines of Spring Boot show of it
 * is in their starters. Thread-safe.
 *
 * <p>DOWN if the store does not answer now, with the time since it answered last; DEGRADED while a
 * lease is in jeopardy; else UP. Each check sends one request, and takes at most the request
 * timeout of the client. A store that keeps no list is not asked, and is UP.
 */
public final class LockHealth implements AutoCloseable {
  private static final String NAME = "leasehold-health";

  private final LockClient locks;
  private final Clock clock;
  private final Map<String, String> jeopardy = new ConcurrentHashMap<>();
  private final AtomicReference<Long> answered;
  // Not the bean itself: beans that are listeners are given to the client before it opens
  private final LockListener listener = this::on;

  /** Watches this client until it is closed. */
  public LockHealth(LockClient locks) {
    this(locks, new SystemClock());
  }

  LockHealth(LockClient locks, Clock clock) {
    this.locks = locks;
    this.clock = clock;
    this.answered = new AtomicReference<>(clock.nanos());
    locks.addListener(listener);
  }

  void on(LockEvent event) {
    if (event instanceof LockEvent.Jeopardy danger) {
      jeopardy.put(danger.leaseId(), danger.name());
    } else if (event instanceof LockEvent.Renewed over) {
      jeopardy.remove(over.leaseId());
    } else if (event instanceof LockEvent.Lost over) {
      jeopardy.remove(over.leaseId());
    } else if (event instanceof LockEvent.Released over) {
      jeopardy.remove(over.leaseId());
    }
  }

  /** Asks the store. */
  public Report check() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("store", locks.snapshot().store());
    details.put("held", locks.snapshot().held());
    details.put("waiting", locks.snapshot().waiting());
    if (!jeopardy.isEmpty()) {
      details.put("inJeopardy", jeopardy.size());
    }
    try {
      locks.lock(NAME).inspect();
    } catch (StoreException e) {
      details.put("error", String.valueOf(e.getMessage()));
      details.put("downFor", Durations.show(Duration.ofNanos(clock.nanos() - answered.get())));
      return new Report("DOWN", details);
    } catch (UnsupportedOperationException e) {
      details.put("asked", "no: the store keeps no list");
    }
    answered.set(clock.nanos());
    return new Report(jeopardy.isEmpty() ? "UP" : "DEGRADED", details);
  }

  /** Stops watching. */
  @Override
  public void close() {
    locks.removeListener(listener);
  }

  /**
   * The result of a check.
   *
   * @param status UP, DEGRADED or DOWN
   * @param details for people
   */
  public record Report(String status, Map<String, Object> details) {}
}
