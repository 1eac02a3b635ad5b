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
 * those that granted it cannot decide, because one of them does not answer, neither do those that
 * do not hold it and had no part in its grant: it is as the others say.
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
    boolean released = count(Spared.class) + releasedOrWithout() >= store.quorum;
    return released ? () -> answer.complete(Release.RELEASED) : this::fail;
  }

  private long releasedOrWithout() {
    return IntStream.range(0, votes.length)
        .filter(
            member ->
                votes[member] == Release.RELEASED
                    || (votes[member] == Release.NOT_HELD && grantedWithout.test(member)))
        .count();
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
