package io.leasehold.sessions;

import io.leasehold.LockMode;
import java.util.List;

/**
 * What the entries of a name mean for one of them. An exclusive entry holds the lock if it is the
 * first; a shared one if only shared ones are before it; one with permits if those before it leave
 * that many.
 *
 * @param holds whether it holds the lock
 * @param place how many entries before it wait
 * @param inTheWay the entries to watch while it waits: one of them changes or goes before it can
 *     hold the lock
 * @param isFollowed whether an entry is behind it
 * @param wanted whether any entry of the name waits
 */
record Admission(
    boolean holds, int place, List<Entry> inTheWay, boolean isFollowed, boolean wanted) {

  /** For the entry at this index. */
  static Admission of(List<Entry> all, int index) {
    Entry own = all.get(index);
    int holders = holders(all);
    boolean isFollowed = index + 1 < all.size();
    boolean wanted = holders < all.size();
    if (index < holders) {
      return new Admission(true, 0, List.of(), isFollowed, wanted);
    }
    List<Entry> before = all.subList(0, index);
    List<Entry> inTheWay;
    if (own.mode() == LockMode.SHARED) {
      inTheWay = List.of(lastThatIsNotShared(before));
    } else if (own.mode() == LockMode.PERMITS && holders == index) {
      // Next in line: any holder may give up enough. Those behind wait for this one to be admitted.
      inTheWay = List.copyOf(before);
    } else {
      inTheWay = List.of(before.get(index - 1));
    }
    return new Admission(false, index - holders, inTheWay, isFollowed, wanted);
  }

  /** How many entries, from the first, hold the lock. Nothing behind one that waits does. */
  static int holders(List<Entry> all) {
    Entry first = all.get(0);
    if (first.mode() == LockMode.EXCLUSIVE) {
      return 1;
    }
    int taken = 0;
    int holders = 0;
    for (Entry each : all) {
      taken += each.permits();
      if (!each.isOfOneKindWith(first)
          || each.mode() == LockMode.EXCLUSIVE
          || (each.mode() == LockMode.PERMITS && taken > each.limit())) {
        break;
      }
      holders++;
    }
    return holders;
  }

  private static Entry lastThatIsNotShared(List<Entry> before) {
    for (int i = before.size() - 1; i > 0; i--) {
      if (before.get(i).mode() != LockMode.SHARED) {
        return before.get(i);
      }
    }
    return before.get(0);
  }

  /** The index of this key; -1 if it is not there. */
  static int indexOf(List<Entry> all, String key) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).key().equals(key)) {
        return i;
      }
    }
    return -1;
  }
}
