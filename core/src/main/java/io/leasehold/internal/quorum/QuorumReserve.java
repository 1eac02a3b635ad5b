package io.leasehold.internal.quorum;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Members that a ticket has not asked. They are taken once: to be asked, or never to be.
 * Thread-safe.
 */
final class QuorumReserve {
  private final AtomicReference<List<Integer>> members;

  QuorumReserve(List<Integer> members) {
    this.members = new AtomicReference<>(members);
  }

  /** Those that were not taken yet. */
  List<Integer> take() {
    return members.getAndSet(List.of());
  }

  /** Nothing is asked of them any more for its sake. */
  void drop() {
    members.set(List.of());
  }

  /** As {@link #take}, but leaves them. */
  List<Integer> members() {
    return members.get();
  }

  int size() {
    return members.get().size();
  }
}
