package io.leasehold.idempotency;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.idempotency.spi.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** A store whose requests or replies are lost as told; it writes down what it was asked. */
final class FaultyStore implements IdempotencyStore {
  /** What becomes of a request. */
  enum Fate {
    ANSWERED,
    /** It takes effect, and its reply is lost. */
    REPLY_LOST,
    /** It does not arrive. */
    REQUEST_LOST
  }

  private final IdempotencyStore store;
  private final Queue<Fate> fates = new ArrayDeque<>();
  final List<String> asked = new java.util.concurrent.CopyOnWriteArrayList<>();
  private final Queue<Runnable> after = new ConcurrentLinkedQueue<>();

  FaultyStore(IdempotencyStore store) {
    this.store = store;
  }

  /** What becomes of the next requests. */
  synchronized void next(Fate... next) {
    fates.addAll(List.of(next));
  }

  /** Before the reply to the next request. */
  void beforeReply(Runnable run) {
    after.add(run);
  }

  private synchronized Fate fate() {
    Fate fate = fates.poll();
    return fate == null ? Fate.ANSWERED : fate;
  }

  private <T> T ask(String verb, Supplier<T> request) {
    asked.add(Thread.currentThread().isInterrupted() ? verb + " interrupted" : verb);
    Fate fate = fate();
    if (fate == Fate.REQUEST_LOST) {
      throw new StoreException(Failure.UNAVAILABLE, "not sent", null);
    }
    T answer = request.get();
    Runnable now = after.poll();
    if (now != null) {
      now.run();
    }
    if (fate == Fate.REPLY_LOST) {
      throw new StoreException(Failure.UNKNOWN_OUTCOME, "no answer", null);
    }
    return answer;
  }

  @Override
  public ClaimAnswer claim(ClaimRequest request, Duration within) {
    return ask("claim", () -> store.claim(request, within));
  }

  @Override
  public boolean extend(ClaimId claim, Duration life, Duration keep, Duration within) {
    return ask("extend", () -> store.extend(claim, life, keep, within));
  }

  @Override
  public boolean complete(ClaimId claim, Outcome outcome, Duration keep, Duration within) {
    return ask("complete", () -> store.complete(claim, outcome, keep, within));
  }

  @Override
  public boolean release(String key, String owner, boolean evenTakenOver, Duration within) {
    return ask("release", () -> store.release(key, owner, evenTakenOver, within));
  }

  @Override
  public boolean forget(String key, Duration within) {
    return ask("forget", () -> store.forget(key, within));
  }

  @Override
  public boolean mark(String key, Duration keep, Duration within) {
    return ask("mark", () -> store.mark(key, keep, within));
  }

  @Override
  public long increment(String key, Duration keep, Duration within) {
    return ask("increment", () -> store.increment(key, keep, within));
  }

  @Override
  public boolean unmark(String key, Duration within) {
    return ask("unmark", () -> store.unmark(key, within));
  }

  @Override
  public Set<String> marked(List<String> keys, Duration within) {
    return ask("marked", () -> store.marked(keys, within));
  }

  @Override
  public int purge(int most, Duration within) {
    return ask("purge", () -> store.purge(most, within));
  }

  @Override
  public void close() {
    store.close();
  }
}
