package io.leasehold.spi.support;

import io.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ids to which nothing is granted any more, for a minute at least. An attempt that was late can
 * only come by way of the store that remembers them. Thread-safe.
 */
public final class EndedIds {
  private static final long REMEMBERED_NANOS = Duration.ofMinutes(1).toNanos();

  /** So few are kept for longer. */
  private static final int FEW = 1024;

  private final Clock clock;
  private final Map<LeaseId, Long> since = new ConcurrentHashMap<>();

  /** Without ids. */
  public EndedIds(Clock clock) {
    this.clock = clock;
  }

  /** Nothing is granted to this id any more. */
  public void add(LeaseId id) {
    long now = clock.nanos();
    since.put(id, now);
    if (since.size() > FEW) {
      since.values().removeIf(then -> now - then > REMEMBERED_NANOS);
    }
  }

  /** Whether this id was added, and is remembered. */
  public boolean contains(LeaseId id) {
    return since.containsKey(id);
  }
}
