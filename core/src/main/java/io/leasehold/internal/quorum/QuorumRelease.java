package io.leasehold.internal.quorum;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.Release;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One release: as a majority says. Members that were never asked for the lease do not have it. */
final class QuorumRelease extends QuorumVotes {
  private final CompletableFuture<Release> answer = new CompletableFuture<>();

  /** Of members that were never asked: it is as the others say. */
  private enum Spared {
    MEMBER
  }

  QuorumRelease(QuorumStore store, List<Integer> spared) {
    super(store);
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
    return missing() == 0 ? this::fail : null;
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
