package io.leasehold.internal;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockOptions;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLease;
import io.leasehold.MultiLock;
import io.leasehold.MultiLockedCall;
import io.leasehold.MultiLockedRun;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Terms.Share;
import io.leasehold.spi.support.Log;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Several locks by name, in the one order in which all callers take them. */
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
  public CompletableFuture<MultiLease> acquireAsync() {
    return new MultiAcquisition(engine, parts, Deadline.NONE, false, engine.completers.ofClient)
        .start();
  }

  @Override
  public CompletableFuture<Optional<MultiLease>> tryAcquireAsync() {
    return tryAcquireAsync(Duration.ZERO);
  }

  @Override
  public CompletableFuture<Optional<MultiLease>> tryAcquireAsync(Duration maxWait) {
    return Completers.tried(
        acquireOn(maxWait, engine.completers.ofClient),
        leases -> ((MultiHold) leases).releaseUnwatched());
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
    last.await(future, engine);
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

  // ---- scopes

  @Override
  public <E extends Exception> void withLock(MultiLockedRun<E> work)
      throws E, InterruptedException {
    run(acquire(), work);
  }

  @Override
  public <E extends Exception> void withLock(Duration maxWait, MultiLockedRun<E> work)
      throws E, InterruptedException {
    run(acquire(maxWait), work);
  }

  private static <E extends Exception> void run(MultiLease leases, MultiLockedRun<E> work)
      throws E {
    try {
      work.run(leases);
    } catch (Throwable thrown) {
      releaseAfter(thrown, leases);
      throw thrown;
    }
    leave(leases);
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T callWithLock(
      MultiLockedCall<T, E> work) throws E, InterruptedException {
    return call(acquire(), work);
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T callWithLock(
      Duration maxWait, MultiLockedCall<T, E> work) throws E, InterruptedException {
    return call(acquire(maxWait), work);
  }

  private static <T extends @Nullable Object, E extends Exception> T call(
      MultiLease leases, MultiLockedCall<T, E> work) throws E {
    T result;
    try {
      result = work.call(leases);
    } catch (Throwable thrown) {
      releaseAfter(thrown, leases);
      throw thrown;
    }
    leave(leases);
    return result;
  }

  private static void releaseAfter(Throwable thrown, MultiLease leases) {
    try {
      leases.release();
    } catch (RuntimeException e) {
      thrown.addSuppressed(e);
    }
  }

  /** The work is done: a release of unknown outcome does not take its result away. */
  private static void leave(MultiLease leases) {
    try {
      leases.release();
    } catch (StoreException e) {
      Log.warn(String.valueOf(e.getMessage()));
    }
  }

  /** How it ended; it does so now if it has not. */
  private MultiLease ended(MultiAcquisition begun, CompletableFuture<MultiLease> future) {
    if (!future.isDone()) {
      begun.timeOut();
      Deadline.in(engine.requestTimeout, engine.clock.nanos()).await(future, engine);
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

  /** The leases of several locks, held as one. */
  static final class MultiHold implements MultiLease {
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
     * @return fails, once all are answered, with what the first failed with, the others suppressed;
     *     a loss goes before an unknown outcome
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
      boolean worse =
          second instanceof LeaseLostException && !(first instanceof LeaseLostException);
      Throwable told = worse ? second : first;
      told.addSuppressed(worse ? first : second);
      return told;
    }

    @Override
    public String toString() {
      return "MultiLease" + leases;
    }
  }
}
