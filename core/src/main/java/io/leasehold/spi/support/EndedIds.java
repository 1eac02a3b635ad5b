package io.leasehold.spi.support;

import io.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Ids to which nothing is granted any more, for a minute at least. An attempt that was late can
 * only come by way of the store that remembers them. Thread-safe.
 */
public final class EndedIds {
  private static final long REMEMBERED_NANOS = Duration.ofMinutes(1).toNanos();

  private final Clock clock;
  private final Map<LeaseId, Long> since = new ConcurrentHashMap<>();

  /** The oldest first. */
  private final Queue<LeaseId> order = new ConcurrentLinkedQueue<>();

  /** Without ids. */
  public EndedIds(Clock clock) {
    this.clock = clock;
  }

  /** Nothing is granted to this id any more. */
  public void add(LeaseId id) {
    long now = clock.nanos();
    if (since.putIfAbsent(id, now) == null) {
      order.add(id);
    }
    LeaseId oldest = order.peek();
    while (oldest != null && now - since.getOrDefault(oldest, now) > REMEMBERED_NANOS) {
      if (order.remove(oldest)) {
        since.remove(oldest);
      }
      oldest = order.peek();
    }
  }

  /** Whether this id was added, and is remembered. */
  public boolean contains(LeaseId id) {
    return since.containsKey(id);
  }

  /** How many are remembered. */
  int size() {
    return since.size();
  }
}
