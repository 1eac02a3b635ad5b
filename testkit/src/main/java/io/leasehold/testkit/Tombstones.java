package io.leasehold.testkit;

import io.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Ids that are used up, remembered for a while: so long that no request for them is under way. */
final class Tombstones {
  private static final long KEPT_NANOS = Duration.ofMinutes(1).toNanos();

  private final Map<LeaseId, Long> buried = new LinkedHashMap<>();
  private final boolean kept;

  Tombstones(boolean kept) {
    this.kept = kept;
  }

  /** Whether this server remembers any. */
  boolean areKept() {
    return kept;
  }

  boolean has(LeaseId id) {
    return buried.containsKey(id);
  }

  void bury(LeaseId id, long now) {
    if (kept) {
      buried.putIfAbsent(id, now);
    }
  }

  void clear() {
    buried.clear();
  }

  void forgetOld(long now) {
    if (buried.isEmpty()) {
      return;
    }
    Iterator<Long> times = buried.values().iterator();
    while (times.hasNext() && now - times.next() > KEPT_NANOS) {
      times.remove();
    }
  }
}
