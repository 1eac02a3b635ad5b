package io.leasehold.internal.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The answers of the members to one request, until they decide it. */
abstract class QuorumVotes {
  final QuorumStore store;

  /** By member: an answer or a failure; null if it is missing. Guarded by the mutex. */
  final @Nullable Object[] votes;

  private final ReentrantLock mutex = new ReentrantLock();
  private boolean decided;

  QuorumVotes(QuorumStore store) {
    this.store = store;
    this.votes = new @Nullable Object[store.members.size()];
  }

  /** What follows from the votes, run once without the mutex; null as long as they are too few. */
  abstract @Nullable Runnable verdict();

  /** What else to do as long as the votes are too few, run without the mutex; null if nothing. */
  @Nullable Runnable undecided() {
    return null;
  }

  /** What follows from a vote that comes after the verdict. Called under the mutex. */
  @Nullable Runnable late(int member) {
    return null;
  }

  /** Takes the answer of a member, or its failure; one that answers twice votes once. */
  final void heard(int member, @Nullable Object answer, @Nullable Object failed) {
    Runnable late = null;
    mutex.lock();
    try {
      if (votes[member] == null) {
        votes[member] = answer == null ? failed : answer;
        late = decided ? late(member) : null;
      }
    } finally {
      mutex.unlock();
    }
    if (late != null) {
      late.run();
    }
    decide();
  }

  final void locked(Runnable action) {
    mutex.lock();
    try {
      action.run();
    } finally {
      mutex.unlock();
    }
  }

  /** Looks whether it is decided by now. */
  final void decide() {
    Runnable next = null;
    mutex.lock();
    try {
      if (!decided) {
        next = verdict();
        decided = next != null;
        next = decided ? next : undecided();
      }
    } finally {
      mutex.unlock();
    }
    if (next != null) {
      next.run();
    }
  }

  /** The votes of this kind. */
  final <T> List<T> all(Class<T> kind) {
    List<T> found = new ArrayList<>();
    for (Object vote : votes) {
      if (kind.isInstance(vote)) {
        found.add(kind.cast(vote));
      }
    }
    return found;
  }

  final int count(Class<?> kind) {
    return all(kind).size();
  }

  final int missing() {
    return votes.length - count(Object.class);
  }
}
