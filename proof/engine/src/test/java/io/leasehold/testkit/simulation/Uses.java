package io.leasehold.testkit.simulation;

import io.leasehold.LockMode;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seed's lock names are used for.
 *
 * @param kinds of each name: the size of a semaphore, or 0 for a lock
 * @param reads how likely a lock is taken shared
 * @param fair how likely a caller is one that likes order
 * @param several how likely a caller takes several locks as one
 * @param clashes how likely a caller takes a name as another kind than the others do
 */
record Uses(List<Integer> kinds, double reads, double fair, double several, double clashes) {
  static Uses of(Dice dice) {
    boolean modes = dice.chance(0.65);
    boolean several = modes && dice.chance(0.25);
    int names = dice.chance(0.6) ? 1 : dice.between(1, 3);
    names = several ? dice.between(2, 4) : names;
    List<Integer> kinds = new ArrayList<>();
    for (int i = 0; i < names; i++) {
      boolean lock = !modes || several || dice.chance(0.6);
      kinds.add(lock ? 0 : dice.pick(List.of(1, 2, 2, 3, 5)));
    }
    return new Uses(
        kinds,
        modes ? dice.pick(List.of(0.0, 0.3, 0.7, 0.7, 0.95)) : 0,
        0.4,
        several ? dice.pick(List.of(0.3, 0.7)) : 0,
        modes && dice.chance(0.1) ? 0.2 : 0);
  }

  int names() {
    return kinds.size();
  }

  static String name(int index) {
    return "n" + (index + 1);
  }

  /** A wish for the lock of this index, on these terms. */
  Wish wish(Dice dice, int index, Wish terms) {
    int kind = kinds.get(index);
    if (dice.chance(clashes)) {
      kind = dice.pick(List.of(0, 1, 2, 3));
    }
    LockMode mode =
        kind > 0 ? LockMode.PERMITS : dice.chance(reads) ? LockMode.SHARED : LockMode.EXCLUSIVE;
    int limit = Math.max(1, kind);
    int permits = dice.chance(0.7) ? 1 : dice.between(1, limit);
    return new Wish(
        mode,
        permits,
        limit,
        terms.maxWait(),
        terms.ttl(),
        terms.fair(),
        terms.renewed(),
        terms.maxHold());
  }
}
