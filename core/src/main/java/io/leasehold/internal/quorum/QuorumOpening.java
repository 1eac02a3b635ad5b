package io.leasehold.internal.quorum;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.StoreException;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Opens the members of a quorum, all at once: it is open once a majority is. */
final class QuorumOpening extends QuorumVotes {
  /** Stores open in bounded time, most within some seconds. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final StoreListener listener;
  private final QuorumPatience patience;
  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

  QuorumOpening(QuorumStore store, StoreListener listener) {
    super(store);
    this.listener = listener;
    this.patience = new QuorumPatience(store, LONGEST, false, this::decide);
  }

  /**
   * Opens them, and waits for a majority, and for a moment for the others, which are opened later
   * in the background.
   *
   * @throws StoreException if no majority can be opened
   */
  void run() {
    for (int i = 0; i < store.members.size(); i++) {
      int member = i;
      store.members.get(i).open((traits, failed) -> heard(member, traits, failed));
    }
    TimedJoin.ofOpening("a majority of the quorum", end.thenApply(done -> true), LONGEST);
  }

  @Override
  @Nullable Runnable verdict() {
    List<StoreException> failures = all(StoreException.class);
    int open = count(Traits.class);
    if (failures.size() > votes.length - store.quorum) {
      return () -> end.completeExceptionally(store.failure(failures));
    }
    boolean enough = open >= store.quorum && (missing() == 0 || patience.isOver());
    return enough ? this::opened : null;
  }

  private void opened() {
    patience.cancel();
    for (QuorumMember member : store.members) {
      if (member.traits() == null) {
        String why = String.valueOf(member.silent().getMessage());
        listener.found(new Finding(Level.WARNING, "member", why));
      }
    }
    end.complete(null);
  }
}
