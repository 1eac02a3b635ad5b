package io.leasehold.redis;

import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Log;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * What this client released or withdrew lately. A replica that takes over may have heard of the
 * grant and not of its end; it would keep the lease for the whole ttl, and no client would renew or
 * release it. So such leases are withdrawn there. Thread-safe.
 */
final class Ended {
  /** The oldest are forgotten beyond that. */
  static final int MOST = 1 << 15;

  /** Longer than clients take to leave a primary that Sentinels have replaced. */
  private static final long KEPT_NANOS = Duration.ofSeconds(30).toNanos();

  private static final Duration AFTERWARDS = Duration.ofSeconds(1);

  private final RedisOperator operator;
  private final Withdrawal withdrawal;
  private final Clock clock;
  private final Object mutex = new Object();
  private final Deque<One> all = new ArrayDeque<>();
  private final AtomicInteger takeOvers = new AtomicInteger();

  /** Takes a lease, or its place in the queue, out of the store. */
  @FunctionalInterface
  interface Withdrawal {
    /** See {@link io.leasehold.spi.LockStore#withdraw}. */
    CompletionStage<Boolean> of(String name, LeaseId id, Duration within);
  }

  private record One(String name, LeaseId id, long at) {}

  Ended(RedisOperator operator, Withdrawal withdrawal, Clock clock) {
    this.operator = operator;
    this.withdrawal = withdrawal;
    this.clock = clock;
  }

  /** Before the request goes out that ends one: what {@link #add} takes. */
  int begin() {
    return takeOvers.get();
  }

  /**
   * Once the server has answered that request; before, its answer would change.
   *
   * @param begun at which it was sent
   */
  void add(String name, LeaseId id, int begun) {
    remember(name, id);
    if (begun != takeOvers.get()) {
      // Looked for before it was here
      CompletionStage<Boolean> unused = withdrawal.of(name, id, AFTERWARDS);
    }
  }

  private void remember(String name, LeaseId id) {
    long now = clock.nanos();
    synchronized (mutex) {
      forgetOld(now);
      if (all.size() == MOST) {
        all.removeFirst();
      }
      all.addLast(new One(name, id, now));
    }
  }

  private void forgetOld(long now) {
    for (One first = all.peek(); first != null && now - first.at > KEPT_NANOS; first = all.peek()) {
      all.removeFirst();
    }
  }

  /** The ids by name, and each by the text that snapshots have. */
  private Map<String, Map<String, LeaseId>> recent() {
    synchronized (mutex) {
      forgetOld(clock.nanos());
      Map<String, Map<String, LeaseId>> ids = new HashMap<>();
      for (One one : all) {
        ids.computeIfAbsent(one.name, name -> new HashMap<>()).put(one.id.toString(), one.id);
      }
      return ids;
    }
  }

  /**
   * Withdraws those that a server still has. It looks at each name once, however many had it.
   * Yields how many these were; fails if it is to be tried again.
   */
  CompletionStage<Integer> withdraw(Duration within) {
    int unused = takeOvers.incrementAndGet();
    Map<String, Map<String, LeaseId>> ids = recent();
    return operator
        .read(ids.keySet(), within)
        .thenCompose(
            found -> {
              List<CompletableFuture<Boolean>> withdrawn = new ArrayList<>();
              for (LockSnapshot lock : found) {
                Map<String, LeaseId> ended = ids.getOrDefault(lock.name(), Map.of());
                present(lock)
                    .map(ended::get)
                    .filter(Objects::nonNull)
                    .forEach(
                        id ->
                            withdrawn.add(
                                withdrawal.of(lock.name(), id, within).toCompletableFuture()));
              }
              return CompletableFuture.allOf(withdrawn.toArray(CompletableFuture[]::new))
                  .thenApply(done -> withdrawn.size());
            })
        .exceptionally(Ended::noneIfRefused);
  }

  /** A client that may not look has to do without. */
  private static int noneIfRefused(Throwable failed) {
    Throwable cause = failed instanceof CompletionException ? failed.getCause() : failed;
    if (cause instanceof StoreException e && e.failure() == Failure.REFUSED) {
      Log.debug("what has ended could not be looked for", e);
      return 0;
    }
    throw new CompletionException(cause);
  }

  private static Stream<String> present(LockSnapshot lock) {
    return Stream.concat(
        lock.holders().stream().map(LockSnapshot.Holder::leaseId),
        lock.waiters().stream().map(LockSnapshot.Waiter::leaseId));
  }
}
