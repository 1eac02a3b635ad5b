package io.leasehold.jdbc;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ids to which nothing is granted any more, for a minute at least. An attempt that was late can
 * only come by way of the store that remembers them. Thread-safe.
 */
final class EndedIds {
  private static final long REMEMBERED_NANOS = Duration.ofMinutes(1).toNanos();

  /** So few are kept for longer. */
  private static final int FEW = 1024;

  private final Clock clock;
  private final Map<LeaseId, Long> since = new ConcurrentHashMap<>();

  EndedIds(Clock clock) {
    this.clock = clock;
  }

  void add(LeaseId id) {
    long now = clock.nanos();
    since.put(id, now);
    if (since.size() > FEW) {
      since.values().removeIf(then -> now - then > REMEMBERED_NANOS);
    }
  }

  boolean contains(LeaseId id) {
    return since.containsKey(id);
  }
}
