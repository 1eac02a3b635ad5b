package io.leasehold.internal;

import io.leasehold.Lease;
import io.leasehold.MultiLease;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The leases of several locks, held as one. */
final class MultiHold implements MultiLease {
  private final List<Lease> leases;

  MultiHold(List<Lease> leases) {
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
  public void onLost(Runnable callback) {
    AtomicBoolean told = new AtomicBoolean();
    Runnable once =
        () -> {
          if (told.compareAndSet(false, true)) {
            callback.run();
          }
        };
    leases.forEach(lease -> lease.onLost(once));
  }

  @Override
  public void release() {
    try {
      releaseAll(leases).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    } finally {
      leases.forEach(lease -> ((Hold) lease).awaitCallbacks());
    }
  }

  void releaseUnwatched() {
    CompletableFuture<Void> unused = releaseAll(leases);
  }

  /**
   * Releases each, the last that was taken first.
   *
   * @return fails, once all are answered, with what the first failed with, the others suppressed
   */
  static CompletableFuture<Void> releaseAll(List<Lease> leases) {
    CompletableFuture<@Nullable Throwable> all = CompletableFuture.completedFuture(null);
    for (int i = leases.size() - 1; i >= 0; i--) {
      CompletableFuture<Void> one = ((Hold) leases.get(i)).releaseAsync();
      all =
          all.thenCombine(
              one.<@Nullable Throwable>handle((nothing, failed) -> failed), MultiHold::both);
    }
    return all.thenAccept(
        failed -> {
          if (failed != null) {
            throw failed instanceof RuntimeException e ? e : new IllegalStateException(failed);
          }
        });
  }

  private static @Nullable Throwable both(@Nullable Throwable first, @Nullable Throwable second) {
    if (first != null && second != null) {
      first.addSuppressed(second);
    }
    return first != null ? first : second;
  }

  @Override
  public String toString() {
    return "MultiLease" + leases;
  }
}
