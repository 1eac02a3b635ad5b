package io.leasehold.internal;

import io.leasehold.LockOptions;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLease;
import io.leasehold.MultiLock;
import io.leasehold.internal.Terms.Share;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Several locks by name, in the one order in which everybody takes them. */
final class MultiHandle implements MultiLock {
  private final Engine engine;
  private final List<String> names;
  private final List<LockHandle> parts;

  private MultiHandle(Engine engine, List<String> names, List<LockHandle> parts) {
    this.engine = engine;
    this.names = names;
    this.parts = parts;
  }

  static MultiHandle of(Engine engine, List<String> names, LockOptions options) {
    if (names.isEmpty()) {
      throw new IllegalArgumentException("allOf needs at least one lock name");
    }
    List<String> sorted =
        names.stream()
            .distinct()
            .sorted(
                (a, b) ->
                    Arrays.compareUnsigned(
                        a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8)))
            .toList();
    return new MultiHandle(
        engine,
        sorted,
        sorted.stream()
            .map(name -> new LockHandle(new NameQueue(engine, name), Share.EXCLUSIVE, options))
            .toList());
  }

  @Override
  public List<String> names() {
    return names;
  }

  @Override
  public MultiLock with(LockOptions options) {
    return of(engine, names, options);
  }

  @Override
  public MultiLease acquire() throws InterruptedException {
    return await(start(Deadline.NONE));
  }

  @Override
  public MultiLease acquire(Duration maxWait) throws InterruptedException {
    if (isOnce(maxWait)) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return join(startOnce());
    }
    return await(start(Deadline.in(maxWait, engine.clock.nanos())));
  }

  @Override
  public Optional<MultiLease> tryAcquire() {
    try {
      return Optional.of(join(startOnce()));
    } catch (LockTimeoutException busy) {
      return Optional.empty();
    }
  }

  @Override
  public Optional<MultiLease> tryAcquire(Duration maxWait) throws InterruptedException {
    try {
      return Optional.of(acquire(maxWait));
    } catch (LockTimeoutException busy) {
      return Optional.empty();
    }
  }

  @Override
  public CompletableFuture<MultiLease> acquireAsync(Duration maxWait) {
    return isOnce(maxWait) ? startOnce() : start(Deadline.in(maxWait, engine.clock.nanos()));
  }

  private static boolean isOnce(Duration maxWait) {
    return maxWait.isNegative() || maxWait.isZero();
  }

  private CompletableFuture<MultiLease> startOnce() {
    return new MultiAcquisition(engine, parts, Deadline.NONE, true).start();
  }

  private CompletableFuture<MultiLease> start(Deadline deadline) {
    return new MultiAcquisition(engine, parts, deadline, false).start();
  }

  private static MultiLease await(CompletableFuture<MultiLease> future)
      throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw asRuntime(e.getCause());
    } catch (InterruptedException e) {
      if (future.cancel(true)) {
        throw e;
      }
      // Granted at the same moment: that counts, and the flag tells of the interrupt
      Thread.currentThread().interrupt();
      return join(future);
    }
  }

  private static MultiLease join(CompletableFuture<MultiLease> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw asRuntime(e.getCause());
    }
  }

  private static RuntimeException asRuntime(@Nullable Throwable cause) {
    return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
  }

  @Override
  public String toString() {
    return "MultiLock" + names;
  }
}
