package io.leasehold.peers;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedLockView;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.LockTimeoutException;
import io.leasehold.LockedCall;
import io.leasehold.LockedRun;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock of another library. Each lease has a {@link Mutex} and a thread of its own. */
class PeerLock implements DistributedLock {
  private final PeerClient client;
  private final String name;
  private final LockOptions options;
  private final Function<LockOptions, Mutex> library;

  PeerLock(
      PeerClient client, String name, LockOptions options, Function<LockOptions, Mutex> library) {
    this.client = client;
    this.name = name;
    this.options = options;
    this.library = library;
  }

  /** One way to take it. */
  private interface Way {
    boolean take(Mutex mutex) throws Exception;
  }

  @Override
  public final String name() {
    return name;
  }

  final LockOptions options() {
    return options;
  }

  @Override
  public DistributedLock with(LockOptions chosen) {
    return new PeerLock(client, name, chosen, library);
  }

  @Override
  public final Lease acquire() throws InterruptedException {
    return take(mutex -> {
          mutex.lock();
          return true;
        })
        .orElseThrow();
  }

  @Override
  public final Lease acquire(Duration maxWait) throws InterruptedException {
    return tryAcquire(maxWait).orElseThrow(() -> timeout(maxWait));
  }

  private LockTimeoutException timeout(Duration maxWait) {
    return new LockTimeoutException("lock '" + name + "' was busy for " + maxWait);
  }

  @Override
  public final Optional<Lease> tryAcquire() {
    try {
      return take(Mutex::tryLock);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnsupportedOperationException("its try is interruptible", e);
    }
  }

  @Override
  public final Optional<Lease> tryAcquire(Duration maxWait) throws InterruptedException {
    return take(mutex -> mutex.tryLock(maxWait));
  }

  private Optional<Lease> take(Way way) throws InterruptedException {
    client.requireOpen();
    Mutex mutex = mutex();
    Actor actor = client.actor(name);
    boolean taken = false;
    try {
      taken = actor.call(() -> way.take(mutex));
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      client.requireOpen();
      throw translated(name, e);
    } finally {
      if (!taken) {
        client.rest(actor);
      }
    }
    return taken ? Optional.of(new PeerLease(client, name, mutex, actor)) : Optional.empty();
  }

  private Mutex mutex() {
    if (options.maxHold().isPresent()) {
      throw new UnsupportedOperationException("a lease that is renewed has no longest life");
    }
    if (options.order() == LockOptions.Order.FAIR && !client.isFair()) {
      throw new UnsupportedOperationException("it keeps no order across processes");
    }
    return library.apply(options);
  }

  /** What a library throws for a request that failed has no common name. */
  static RuntimeException translated(String name, Exception e) {
    if (e instanceof LockException
        || e instanceof LeaseLostException
        || e instanceof UnsupportedOperationException) {
      return (RuntimeException) e;
    }
    return new StoreException(Failure.UNKNOWN_OUTCOME, "lock '" + name + "': " + e, e);
  }

  @Override
  public final CompletableFuture<Lease> acquireAsync(Duration maxWait) {
    client.requireOpen();
    Mutex mutex = mutex();
    Mutex.Pending pending = mutex.tryLockLater(maxWait);
    CompletableFuture<Lease> told =
        new CompletableFuture<>() {
          @Override
          public boolean cancel(boolean interrupt) {
            return pending.cancel() && super.cancel(interrupt);
          }
        };
    pending.whenDone(
        (granted, failure) -> {
          if (failure != null) {
            told.completeExceptionally(failure);
          } else if (granted) {
            told.complete(new PeerLease(client, name, mutex, client.actor(name)));
          } else {
            told.completeExceptionally(timeout(maxWait));
          }
        });
    return told;
  }

  @Override
  public final CompletableFuture<Lease> acquireAsync(Duration maxWait, Executor executor) {
    return acquireAsync(maxWait).whenCompleteAsync((lease, failure) -> {}, executor);
  }

  @Override
  public final CompletableFuture<Lease> acquireAsync() {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final CompletableFuture<Optional<Lease>> tryAcquireAsync() {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final CompletableFuture<Optional<Lease>> tryAcquireAsync(Duration maxWait) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final <E extends Exception> boolean tryWithLock(LockedRun<E> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final <E extends Exception> boolean tryWithLock(Duration maxWait, LockedRun<E> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
      Duration maxWait, Function<? super Lease, ? extends CompletionStage<T>> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
      Duration maxWait,
      Executor executor,
      Function<? super Lease, ? extends CompletionStage<T>> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final <E extends Exception> void withLock(LockedRun<E> work)
      throws E, InterruptedException {
    client.requireOpen();
    Mutex mutex = mutex();
    if (!mutex.isReentrant()) {
      throw new UnsupportedOperationException("it cannot be entered again");
    }
    run(mutex::lock);
    try (Held held = () -> run(mutex::unlock)) {
      work.run(new PeerLease(client, name, mutex, null));
    }
  }

  /** Lets go, without hiding what the work threw. */
  private interface Held extends AutoCloseable {
    @Override
    void close() throws InterruptedException;
  }

  /** A call of the library. */
  private interface Step {
    void go() throws Exception;
  }

  private void run(Step step) throws InterruptedException {
    try {
      step.go();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      throw PeerLease.lostOr(name, e);
    }
  }

  @Override
  public final <E extends Exception> void withLock(Duration maxWait, LockedRun<E> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final <T extends @Nullable Object, E extends Exception> T callWithLock(
      LockedCall<T, E> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final <T extends @Nullable Object, E extends Exception> T callWithLock(
      Duration maxWait, LockedCall<T, E> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public final DistributedLockView asLock() {
    return new PeerLockView(mutex().asLock());
  }

  @Override
  public final Optional<LockSnapshot> inspect() {
    throw new UnsupportedOperationException("it does not tell who holds and waits");
  }

  @Override
  public final boolean breakLease(long fencingToken) {
    throw new UnsupportedOperationException("nobody breaks a lease by its token");
  }
}
