package io.leasehold.internal.quorum;

import java.util.BitSet;
import java.util.List;

/**
 * What became of a lease id in the attempts that ask for it. Changed only inside the lock that the
 * map of candidates has for it.
 */
final class QuorumCandidate {
  /** The members that the first attempt has not asked. Those after it ask all. */
  final QuorumReserve reserve;

  /** How often the members were asked for it. */
  int asked;

  /** How many of its attempts are not decided. */
  int ballots;

  /** Whether one of them was granted. */
  boolean elected;

  /** The number with which it was; 0 if it was not, or there are no tokens. */
  long number;

  /** The members by whose grants it was. */
  private final BitSet voters = new BitSet();

  /** Whether it has marks with the members, or may have: the engine will withdraw it. */
  boolean waits;

  /** The members that may have granted it, or keep a mark of it. */
  final BitSet left = new BitSet();

  QuorumCandidate(QuorumReserve reserve) {
    this.reserve = reserve;
  }

  /** This member has granted it, as one of a majority. */
  void electedBy(int member) {
    elected = true;
    voters.set(member);
  }

  /** Whether it was granted by a majority of other members. */
  boolean isElectedWithout(int member) {
    return elected && !voters.get(member);
  }

  /** The members that have nothing of it, since they were never asked, and now will not be. */
  List<Integer> spare() {
    List<Integer> spared = reserve.take();
    if (asked > 1) {
      return List.of();
    }
    // The same id may have been tried before; then a late vote came from one of them
    return left.isEmpty() ? spared : spared.stream().filter(member -> !left.get(member)).toList();
  }
}
