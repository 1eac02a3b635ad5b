package io.leasehold.internal;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.MultiLease;
import io.leasehold.event.LockEvent.Lost.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The leases of several locks, held as one. */
final class MultiHold implements MultiLease {
  private final Engine engine;
  private final List<Lease> leases;

  MultiHold(Engine engine, List<Lease> leases) {
    this.engine = engine;
    this.leases = List.copyOf(leases);
  }

  @Override
  public Lease get(String name) {
    for (Lease lease : leases) {
      if (lease.name().equals(name)) {
        return lease;
      }
    }
    throw new IllegalArgumentException(
        "'" + name + "' is not one of these locks: " + leases.stream().map(Lease::name).toList());
  }

  @Override
  public List<Lease> leases() {
    return leases;
  }

  @Override
  public boolean isHeld() {
    return leases.stream().allMatch(Lease::isHeld);
  }

  @Override
  public Duration remaining() {
    return leases.stream().map(Lease::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
  }

  @Override
  public void ensureHeld(Duration atLeast) {
    leases.forEach(lease -> lease.ensureHeld(atLeast));
    // The first may have run low while the last was renewed
    leases.forEach(lease -> lease.ensureHeld(Duration.ZERO));
  }

  @Override
  public Lease.Registration onLost(Consumer<Reason> callback) {
    Objects.requireNonNull(callback, "callback");
    AtomicBoolean told = new AtomicBoolean();
    return ofEach(
        lease ->
            lease.onLost(
                reason -> {
                  if (told.compareAndSet(false, true)) {
                    callback.accept(reason);
                  }
                }));
  }

  @Override
  public Lease.Registration onJeopardy(Consumer<Duration> callback) {
    return ofEach(lease -> lease.onJeopardy(callback));
  }

  private Lease.Registration ofEach(Function<Lease, Lease.Registration> register) {
    List<Lease.Registration> all = leases.stream().map(register).toList();
    return () -> all.forEach(Lease.Registration::remove);
  }

  @Override
  public CompletableFuture<Void> releaseAsync() {
    return Completers.hop(releaseAll(leases, true), engine.completers.ofClient);
  }

  @Override
  public void release() {
    try {
      releaseAll(leases, false).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    } finally {
      leases.forEach(lease -> ((Hold) lease).awaitCallbacks());
    }
  }

  void releaseUnwatched() {
    CompletableFuture<Void> unused = releaseAll(leases, false);
  }

  /**
   * Releases each, the last that was taken first.
   *
   * @param elsewhere whether no request is made on the calling thread
   * @return fails, once all are answered, with what the first failed with, the others suppressed; a
   *     loss goes before an unknown outcome
   */
  static CompletableFuture<Void> releaseAll(List<Lease> leases, boolean elsewhere) {
    CompletableFuture<@Nullable Throwable> all = CompletableFuture.completedFuture(null);
    for (int i = leases.size() - 1; i >= 0; i--) {
      CompletableFuture<Void> one = ((Hold) leases.get(i)).letGo(elsewhere);
      all =
          all.thenCombine(
              one.<@Nullable Throwable>handle((nothing, failed) -> failed), MultiHold::both);
    }
    return all.thenCompose(
        failed ->
            failed == null
                ? CompletableFuture.<Void>completedFuture(null)
                : CompletableFuture.failedFuture(failed));
  }

  private static @Nullable Throwable both(@Nullable Throwable first, @Nullable Throwable second) {
    if (first == null || second == null) {
      return first != null ? first : second;
    }
    boolean worse = second instanceof LeaseLostException && !(first instanceof LeaseLostException);
    Throwable told = worse ? second : first;
    told.addSuppressed(worse ? first : second);
    return told;
  }

  @Override
  public String toString() {
    return "MultiLease" + leases;
  }
}
