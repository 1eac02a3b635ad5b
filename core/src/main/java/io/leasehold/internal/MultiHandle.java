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
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    return await(start(Deadline.NONE), Deadline.NONE);
  }

  @Override
  public MultiLease acquire(Duration maxWait) throws InterruptedException {
    if (isOnce(maxWait)) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return tryOnce();
    }
    Deadline deadline = Deadline.in(maxWait, engine.clock.nanos());
    return await(start(deadline), deadline);
  }

  @Override
  public Optional<MultiLease> tryAcquire() {
    try {
      return Optional.of(tryOnce());
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
    return acquireOn(maxWait, engine.completers.ofClient);
  }

  @Override
  public CompletableFuture<MultiLease> acquireAsync(Duration maxWait, Executor executor) {
    return acquireOn(maxWait, engine.completers.ofUser(executor));
  }

  private CompletableFuture<MultiLease> acquireOn(Duration maxWait, Executor completer) {
    boolean once = isOnce(maxWait);
    Deadline deadline = once ? Deadline.NONE : Deadline.in(maxWait, engine.clock.nanos());
    return new MultiAcquisition(engine, parts, deadline, once, completer).start();
  }

  private static boolean isOnce(Duration maxWait) {
    return maxWait.isNegative() || maxWait.isZero();
  }

  /** For a caller that waits itself: nothing of the user depends on the future. */
  private MultiAcquisition start(Deadline deadline) {
    return new MultiAcquisition(engine, parts, deadline, false, Runnable::run);
  }

  /** Each may take a request timeout, and so may letting go of those that were had. */
  private MultiLease tryOnce() {
    Deadline last =
        Deadline.in(engine.requestTimeout.multipliedBy(parts.size() + 1), engine.clock.nanos());
    MultiAcquisition tried =
        new MultiAcquisition(engine, parts, Deadline.NONE, true, Runnable::run);
    CompletableFuture<MultiLease> future = tried.start();
    Waits.uninterruptibly(future, last, engine);
    return ended(tried, future);
  }

  private MultiLease await(MultiAcquisition begun, Deadline deadline) throws InterruptedException {
    CompletableFuture<MultiLease> future = begun.start();
    try {
      return future.get(deadline.left(engine.clock.nanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return ended(begun, future);
    } catch (InterruptedException e) {
      if (future.cancel(true)) {
        throw e;
      }
      // Granted at the same moment: that counts, and the flag tells of the interrupt
      Thread.currentThread().interrupt();
      return ended(begun, future);
    }
  }

  /** How it ended; it does so now if it has not. */
  private MultiLease ended(MultiAcquisition begun, CompletableFuture<MultiLease> future) {
    if (!future.isDone()) {
      begun.timeOut();
      Waits.uninterruptibly(
          future, Deadline.in(engine.requestTimeout, engine.clock.nanos()), engine);
      future.completeExceptionally(Failures.silent(names.get(0)));
    }
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
