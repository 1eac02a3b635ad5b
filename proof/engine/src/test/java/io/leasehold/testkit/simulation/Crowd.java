package io.leasehold.testkit.simulation;

import java.util.ArrayList;
import java.util.List;

/** Who certainly holds one name at one instant. */
final class Crowd {
  private final List<Handle> holders = new ArrayList<>();

  void clear() {
    holders.clear();
  }

  /** Takes one more in; who it cannot hold beside, or null. */
  Handle add(Handle handle) {
    Wish wish = handle.call.wish;
    int out = wish.permits();
    for (Handle other : holders) {
      Wish theirs = other.call.wish;
      boolean sameLease = other.id.equals(handle.id);
      if (theirs.mode() != wish.mode()
          || theirs.limit() != wish.limit()
          || wish.isAlone()
          || (wish.isPermits() && sameLease)) {
        return other;
      }
      out += theirs.permits();
      if (wish.isPermits() && out > wish.limit()) {
        return other;
      }
    }
    holders.add(handle);
    return null;
  }

  /** Whether several hold permits, and none is left. */
  boolean isFull() {
    return holders.size() > 1
        && holders.get(0).call.wish.isPermits()
        && holders.stream().mapToInt(h -> h.call.wish.permits()).sum()
            == holders.get(0).call.wish.limit();
  }

  boolean readsInTwoProcesses() {
    return holders.size() > 1
        && holders.get(0).call.wish.isShared()
        && holders.stream().anyMatch(h -> h.call.process != holders.get(0).call.process);
  }
}
