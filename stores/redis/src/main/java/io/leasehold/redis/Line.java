package io.leasehold.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Calls that wait for a connection. Guarded by the wire's mutex. */
final class Line {
  private static final int MOST_TOGETHER = 64;

  private final Deque<Call> calls = new ArrayDeque<>();

  void add(Call call) {
    calls.addLast(call);
  }

  /** Whether it was still there. */
  boolean remove(Call call) {
    return calls.remove(call);
  }

  int size() {
    return calls.size();
  }

  /** Those whose leader has no time left to lead come first again. */
  void giveBack(Call leader) {
    for (int i = leader.batch.size() - 1; i >= 0; i--) {
      Call other = leader.batch.get(i);
      if (other != leader && !other.isAnswered()) {
        calls.addFirst(other);
      }
    }
  }

  /** Takes the first out of it, to be sent together. */
  List<Call> takeFirst() {
    if (calls.isEmpty()) {
      return List.of();
    }
    List<Call> batch = new ArrayList<>(Math.min(MOST_TOGETHER, calls.size()));
    while (batch.size() < MOST_TOGETHER && !calls.isEmpty()) {
      batch.add(calls.removeFirst());
    }
    return batch;
  }

  /** Empties it. */
  List<Call> takeAll() {
    List<Call> all = List.copyOf(calls);
    calls.clear();
    return all;
  }
}
