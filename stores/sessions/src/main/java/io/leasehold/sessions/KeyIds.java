package io.leasehold.sessions;

import io.leasehold.spi.LeaseId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The ids in the keys of one session. A store that remembers deleted keys for a while needs longer
 * with each of them; so the next acquisition uses the key of one that has left. Thread-safe.
 */
public final class KeyIds {
  private final long session;
  private final Map<LeaseId, Use> uses = new HashMap<>();
  private final Deque<LeaseId> free = new ArrayDeque<>();
  private long last;

  /** The key of one acquisition. */
  private static final class Use {
    final LeaseId id;

    /** How many requests to make its entry were sent and may have made it, or may yet. */
    int requests;

    /** How many requests were sent that would also meet the entry of the next. */
    int unconditional;

    Use(LeaseId id) {
      this.id = id;
    }
  }

  /** Those of a session, by a number that no other one has. */
  public KeyIds(long session) {
    this.session = session;
  }

  private Use use(LeaseId acquisition) {
    return uses.computeIfAbsent(
        acquisition, any -> new Use(free.isEmpty() ? new LeaseId(session, ++last) : free.pop()));
  }

  /** A request makes the entry of an acquisition: under the same id as the one before it. */
  public synchronized LeaseId enters(LeaseId acquisition) {
    Use use = use(acquisition);
    use.requests++;
    return use.id;
  }

  /** A request to make the entry took no effect. */
  public synchronized void failed(LeaseId acquisition) {
    Use use = uses.get(acquisition);
    if (use != null && --use.requests == 0) {
      left(acquisition);
    }
  }

  /**
   * A request changes or removes the entry of an acquisition by its key, whichever entry has that
   * by then. If there are several, one may come late: the key is not used again.
   *
   * @param key ends with the id
   * @return false if it has left that key: then the request may not be sent
   */
  public synchronized boolean meets(LeaseId acquisition, String key) {
    Use use = uses.get(acquisition);
    if (use == null || !key.endsWith(use.id.toString())) {
      return false;
    }
    use.unconditional++;
    return true;
  }

  /** The entry is gone, and no request is on its way that makes it. */
  public synchronized void left(LeaseId acquisition) {
    Use use = uses.remove(acquisition);
    if (use != null && use.unconditional <= 1) {
      free.push(use.id);
    }
  }

  /** The id of an acquisition that is taken back. */
  public synchronized LeaseId takes(LeaseId acquisition) {
    return use(acquisition).id;
  }

  /** A request of it may be on its way, which may not meet the entry of another. */
  public synchronized void takenBack(LeaseId acquisition) {
    uses.remove(acquisition);
  }
}
