package io.leasehold.internal.quorum;

import io.leasehold.internal.EarliestTimer;
import io.leasehold.spi.support.Log;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Which members an attempt asks at once, and when it asks the others: a majority of those that
 * answered their last attempt promptly, and the others a little later, unless the lease was
 * released by then. So a lock that is held for a moment costs no requests that its grant does not
 * need. Without such a majority all are asked at once. This is a hedged request (J. Dean, L. A.
 * Barroso: The Tail at Scale, 2013) to a majority. Thread-safe.
 */
final class QuorumHedge {
  /** How soon a prompt member answers, and how much later the others are asked. */
  static final long PROMPT_NANOS = 2_000_000;

  /** They may be asked this much later still. */
  private static final long LEAST_PAUSE_NANOS = 1_000_000;

  private final QuorumStore store;
  private final EarliestTimer timer;

  /** In the order in which they are due. */
  private final Queue<Due> all = new ConcurrentLinkedQueue<>();

  private record Due(QuorumReserve reserve, long at, Runnable ask) {}

  QuorumHedge(QuorumStore store) {
    this.store = store;
    this.timer = new EarliestTimer(store.threads, this::look);
  }

  /**
   * Members to leave out at first; another majority for another name, so that all have work.
   *
   * @return empty if all are to be asked at once
   */
  List<Integer> reserveOf(String name) {
    int size = store.members.size();
    int begin = Math.floorMod(name.hashCode(), size);
    List<Integer> left = new ArrayList<>(size - store.quorum);
    int first = 0;
    for (int i = 0; i < size; i++) {
      int member = (begin + i) % size;
      if (first < store.quorum && store.members.get(member).isPrompt()) {
        first++;
      } else {
        left.add(member);
      }
    }
    return first < store.quorum ? List.of() : left;
  }

  /** Runs this once the reserve is due, if it was not taken by then. */
  void later(QuorumReserve reserve, Runnable ask) {
    long now = store.clock.nanos();
    all.add(new Due(reserve, now + PROMPT_NANOS, ask));
    timer.runIn(PROMPT_NANOS, now);
  }

  private void look() {
    long now = store.clock.nanos();
    for (Due first = all.peek(); first != null; first = all.peek()) {
      if (first.reserve.size() > 0) {
        if (first.at - now > 0) {
          timer.runIn(Math.max(LEAST_PAUSE_NANOS, first.at - now), now);
          return;
        }
        // Else one that fails would keep those behind it waiting
        Log.guarded("a member of a quorum was not asked; please report this", first.ask);
      }
      all.remove(first);
    }
  }
}
