package io.leasehold.internal.quorum;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Release;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One release: as a majority says. Members that were never asked for the lease do not have it. If
 * no majority says the same, because a member that granted it does not answer, a member that had no
 * part in the grant and does not hold it counts as one that was never asked.
 */
final class QuorumRelease extends QuorumVotes {
  private final CompletableFuture<Release> answer = new CompletableFuture<>();

  /** The members that had no part in its grant. */
  private final IntPredicate grantedWithout;

  /** Of members that were never asked: it is as the others say. */
  private enum Spared {
    MEMBER
  }

  QuorumRelease(QuorumStore store, List<Integer> spared, IntPredicate grantedWithout) {
    super(store);
    this.grantedWithout = grantedWithout;
    spared.forEach(member -> votes[member] = Spared.MEMBER);
  }

  CompletionStage<Release> answer() {
    return answer;
  }

  @Override
  @Nullable Runnable verdict() {
    List<Release> answers = all(Release.class);
    for (Release release : Release.values()) {
      if (Collections.frequency(answers, release) + count(Spared.class) >= store.quorum) {
        return () -> answer.complete(release);
      }
    }
    if (missing() > 0) {
      return null;
    }
    // Those without a part in the grant are a minority: one of the others has released it
    long agreeing = IntStream.range(0, votes.length).filter(this::isReleasedOrHadNoPart).count();
    return agreeing >= store.quorum ? () -> answer.complete(Release.RELEASED) : this::fail;
  }

  private boolean isReleasedOrHadNoPart(int member) {
    Object vote = votes[member];
    return vote == Release.RELEASED
        || vote == Spared.MEMBER
        || (vote == Release.NOT_HELD && grantedWithout.test(member));
  }

  private void fail() {
    StoreException failure = store.failure(all(StoreException.class));
    // Where a minority has let it go, that is an effect
    boolean took = all(Release.class).contains(Release.RELEASED);
    answer.completeExceptionally(
        took
            ? new StoreException(
                Failure.UNKNOWN_OUTCOME, String.valueOf(failure.getMessage()), failure)
            : failure);
  }
}
