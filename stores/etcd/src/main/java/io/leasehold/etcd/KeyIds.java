package io.leasehold.etcd;

import io.leasehold.spi.LeaseId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The ids in the keys of one session. etcd keeps what it knows of a deleted key until it is
 * compacted, and a list of a name takes longer with each; so the next acquisition uses the key of
 * one that has left. Thread-safe.
 */
final class KeyIds {
  private final long lease;
  private final Map<LeaseId, Use> uses = new HashMap<>();
  private final Deque<LeaseId> free = new ArrayDeque<>();
  private long last;

  /** The key of one acquisition. */
  private static final class Use {
    final LeaseId id;

    /** How many requests to make its entry were sent and may have made it, or may yet. */
    int requests;

    Use(LeaseId id) {
      this.id = id;
    }
  }

  /** Those of a lease of etcd, which no other session has. */
  KeyIds(long lease) {
    this.lease = lease;
  }

  private Use use(LeaseId acquisition) {
    return uses.computeIfAbsent(
        acquisition, any -> new Use(free.isEmpty() ? new LeaseId(lease, ++last) : free.pop()));
  }

  /** A request makes the entry of an acquisition: under the same id as the one before it. */
  synchronized LeaseId enters(LeaseId acquisition) {
    Use use = use(acquisition);
    use.requests++;
    return use.id;
  }

  /** A request to make the entry took no effect. */
  synchronized void failed(LeaseId acquisition) {
    Use use = uses.get(acquisition);
    if (use != null && --use.requests == 0) {
      left(acquisition);
    }
  }

  /** The entry is gone, and no request is on its way that makes it. */
  synchronized void left(LeaseId acquisition) {
    Use use = uses.remove(acquisition);
    if (use != null) {
      free.push(use.id);
    }
  }

  /** The id of an acquisition that is taken back. */
  synchronized LeaseId takes(LeaseId acquisition) {
    return use(acquisition).id;
  }

  /** A request of it may be on its way, which may not meet the entry of another. */
  synchronized void takenBack(LeaseId acquisition) {
    uses.remove(acquisition);
  }
}
