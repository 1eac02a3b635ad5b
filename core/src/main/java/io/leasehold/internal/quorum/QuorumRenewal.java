package io.leasehold.internal.quorum;

import io.leasehold.internal.StoreCalls;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Renewal.AttemptNow;
import io.leasehold.spi.Renewal.Gone;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.Renewal.Unknown;
import io.leasehold.spi.Renewal.Waiting;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What the members say about one ticket of a batch. */
final class QuorumRenewal extends QuorumVotes {
  /**
   * If only a minority says that a ticket may attempt, it does so once in so many polls: members
   * with queues may have different tickets at their heads, and then each waits for the others.
   */
  private static final int SELDOM = 8;

  private final LeaseId id;
  private final boolean held;
  private final BiConsumer<LeaseId, Renewal> each;

  /**
   * About one ticket.
   *
   * @param held whether it holds the lease, as far as this client knows, or waits
   */
  QuorumRenewal(QuorumStore store, LeaseId id, boolean held, BiConsumer<LeaseId, Renewal> each) {
    super(store);
    this.id = id;
    this.held = held;
    this.each = each;
  }

  @Override
  @Nullable Runnable verdict() {
    Renewal renewal = held ? ofHeld() : ofWaiting();
    if (renewal == null && missing() == 0) {
      renewal = unknown();
    }
    Renewal verdict = renewal;
    return verdict == null ? null : () -> each.accept(id, verdict);
  }

  private @Nullable Renewal ofHeld() {
    List<Renewed> renewed = all(Renewed.class);
    if (renewed.size() >= store.quorum) {
      return new Renewed(
          store.majorityOf(renewed.stream().map(Renewed::remaining).toList()),
          renewed.stream().anyMatch(Renewed::wanted));
    }
    // What waits with a member does not hold there
    int not = count(Gone.class) + count(Waiting.class) + count(AttemptNow.class);
    return not >= store.quorum ? new Gone() : null;
  }

  private @Nullable Renewal ofWaiting() {
    int may = count(AttemptNow.class) + count(Renewed.class);
    int gone = count(Gone.class);
    if (may >= store.quorum) {
      return new AttemptNow();
    }
    if (gone >= store.quorum) {
      return new Gone();
    }
    boolean isOpen = Math.max(may, gone) + missing() >= store.quorum;
    if (isOpen || may + gone + count(Waiting.class) < store.quorum) {
      return null;
    }
    return may > 0 && store.random.getAsDouble() * SELDOM < 1 ? new AttemptNow() : new Waiting();
  }

  private Renewal unknown() {
    List<Unknown> failed = all(Unknown.class);
    return new Unknown(
        store.failure(
            failed.stream().map(one -> StoreCalls.asStoreException(one.cause())).toList()));
  }
}
