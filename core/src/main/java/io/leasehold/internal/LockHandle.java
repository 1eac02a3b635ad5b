package io.leasehold.internal;

import static java.util.Objects.requireNonNull;

import io.leasehold.DistributedLock;
import io.leasehold.DistributedLockView;
import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.LockedCall;
import io.leasehold.LockedRun;
import io.leasehold.StoreException;
import io.leasehold.internal.NameQueue.GiveUp;
import io.leasehold.internal.Terms.Share;
import io.leasehold.internal.Waiter.PendingLease;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.support.Log;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock by name: turns calls into waiters. */
class LockHandle implements DistributedLock {
  final Engine engine;
  final String name;
  final LockOptions options;

  /** Of this name if nothing else uses it: made once for all that is acquired here. */
  final NameQueue queue;

  private final Share share;
  private final Terms terms;

  LockHandle(NameQueue queue, Share share, LockOptions options) {
    this.queue = queue;
    this.engine = queue.engine;
    this.name = queue.name;
    this.share = share;
    this.options = options;
    this.terms = engine.terms(share, options);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DistributedLock with(LockOptions newOptions) {
    return new LockHandle(queue, share, newOptions);
  }

  LockMode mode() {
    return share.mode();
  }

  // ---- acquire

  @Override
  public Lease acquire() throws InterruptedException {
    return granted(waitFor(Deadline.NONE));
  }

  @Override
  public Lease acquire(Duration maxWait) throws InterruptedException {
    return granted(tryWithin(maxWait));
  }

  @Override
  public Optional<Lease> tryAcquire() {
    return Optional.ofNullable(leaseOf(tryOnce()));
  }

  @Override
  public Optional<Lease> tryAcquire(Duration maxWait) throws InterruptedException {
    return Optional.ofNullable(leaseOf(tryWithin(maxWait)));
  }

  private Waiter.Outcome tryWithin(Duration maxWait) throws InterruptedException {
    if (maxWait.isNegative() || maxWait.isZero()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return tryOnce();
    }
    return waitFor(Deadline.in(maxWait, engine.clock.nanos()));
  }

  private Waiter.Outcome tryOnce() {
    return requireNonNull(await(blocking(Intent.TRY, Deadline.NONE), false));
  }

  private Waiter.Outcome waitFor(Deadline deadline) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Waiter waiter = blocking(Intent.QUEUE, deadline);
    Waiter.Outcome end = await(waiter, true);
    if (end == null) {
      boolean interrupted = Thread.currentThread().isInterrupted();
      end = engine.giveUp(waiter, interrupted ? GiveUp.INTERRUPT : GiveUp.TIMEOUT);
      if (end == Waiter.Withdrawn.WITHDRAWN) {
        Thread.interrupted();
        throw new InterruptedException("interrupted while waiting for lock '" + name + "'");
      }
    }
    if (end instanceof Waiter.Failed failed && Thread.interrupted()) {
      // The request could not be interrupted, and failed: the caller wanted to be gone before that.
      InterruptedException interrupt =
          new InterruptedException("interrupted while waiting for lock '" + name + "'");
      interrupt.addSuppressed(failed.why());
      throw interrupt;
    }
    return end;
  }

  /** Waits for ever, also while interrupted; keeps the flag. */
  Lease acquireUninterruptibly() {
    return granted(requireNonNull(await(blocking(Intent.QUEUE, Deadline.NONE), false)));
  }

  /** Enters and waits. Whatever is thrown meanwhile, nothing of the wait stays behind. */
  private Waiter.@Nullable Outcome await(Waiter waiter, boolean interruptible) {
    try {
      engine.enter(queue, waiter);
      return waiter.await(waiter.deadline, interruptible);
    } catch (RuntimeException | Error thrown) {
      if (engine.giveUp(waiter, GiveUp.CANCEL) instanceof Hold hold) {
        hold.releaseUnwatched();
      }
      throw thrown;
    }
  }

  private Waiter blocking(Intent intent, Deadline deadline) {
    Thread me = Thread.currentThread();
    return new Waiter(engine, name, terms, intent, deadline, me, null, engine.identity.traceId());
  }

  private static @Nullable Lease leaseOf(Waiter.Outcome end) {
    if (end instanceof Waiter.Failed failed) {
      throw failed.why();
    }
    return end instanceof Hold hold ? hold : null;
  }

  private static Lease granted(Waiter.Outcome end) {
    Lease lease = leaseOf(end);
    if (lease == null) {
      throw ((Waiter.Busy) end).asException();
    }
    return lease;
  }

  @Override
  public CompletableFuture<Lease> acquireAsync() {
    return begin(Deadline.NONE, Intent.QUEUE, engine.completers.ofClient).future();
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(Duration maxWait) {
    return acquireOn(maxWait, engine.completers.ofClient);
  }

  @Override
  public CompletableFuture<Optional<Lease>> tryAcquireAsync() {
    return tryAcquireAsync(Duration.ZERO);
  }

  @Override
  public CompletableFuture<Optional<Lease>> tryAcquireAsync(Duration maxWait) {
    return Completers.tried(
        acquireOn(maxWait, engine.completers.ofClient), lease -> ((Hold) lease).releaseUnwatched());
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(Duration maxWait, Executor executor) {
    return acquireOn(maxWait, engine.completers.ofUser(executor));
  }

  private CompletableFuture<Lease> acquireOn(Duration maxWait, Executor completer) {
    boolean once = maxWait.isNegative() || maxWait.isZero();
    Deadline deadline = once ? Deadline.NONE : Deadline.in(maxWait, engine.clock.nanos());
    return begin(deadline, once ? Intent.TRY : Intent.QUEUE, completer).future();
  }

  private Begun begin(Deadline deadline, Intent intent, Executor completer) {
    return begin(deadline, intent, completer, engine.identity.traceId());
  }

  /** A wait without a thread, and how to give it up. */
  record Begun(NameQueue queue, Waiter waiter, PendingLease future) {
    Waiter.Outcome giveUp(GiveUp why) {
      return queue.giveUp(waiter, why);
    }
  }

  Begun begin(Deadline deadline, Intent intent, Executor completer, String traceId) {
    PendingLease future = new PendingLease(completer);
    Waiter waiter = new Waiter(engine, name, terms, intent, deadline, null, future, traceId);
    NameQueue entered = engine.enter(queue, waiter);
    // Completing the future otherwise, by cancel or orTimeout, gives up the wait.
    CompletableFuture<Lease> unused =
        future.whenComplete((lease, thrown) -> entered.giveUp(waiter, GiveUp.CANCEL));
    return new Begun(entered, waiter, future);
  }

  // ---- scopes

  @Override
  public <E extends Exception> void withLock(LockedRun<E> work) throws E, InterruptedException {
    Lease lease = reenter();
    run(lease != null ? lease : enter(acquire()), work);
  }

  @Override
  public <E extends Exception> void withLock(Duration maxWait, LockedRun<E> work)
      throws E, InterruptedException {
    Lease lease = reenter();
    run(lease != null ? lease : enter(acquire(maxWait)), work);
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T callWithLock(LockedCall<T, E> work)
      throws E, InterruptedException {
    Lease lease = reenter();
    return call(lease != null ? lease : enter(acquire()), work);
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T callWithLock(
      Duration maxWait, LockedCall<T, E> work) throws E, InterruptedException {
    Lease lease = reenter();
    return call(lease != null ? lease : enter(acquire(maxWait)), work);
  }

  @Override
  public <E extends Exception> boolean tryWithLock(LockedRun<E> work) throws E {
    Lease lease = reenter();
    return runIf(lease != null ? lease : leaseOf(tryOnce()), lease == null, work);
  }

  @Override
  public <E extends Exception> boolean tryWithLock(Duration maxWait, LockedRun<E> work)
      throws E, InterruptedException {
    Lease lease = reenter();
    return runIf(lease != null ? lease : leaseOf(tryWithin(maxWait)), lease == null, work);
  }

  private <E extends Exception> boolean runIf(
      @Nullable Lease lease, boolean fresh, LockedRun<E> work) throws E {
    if (lease == null) {
      return false;
    }
    run(fresh ? enter(lease) : lease, work);
    return true;
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
      Duration maxWait, Function<? super Lease, ? extends CompletionStage<T>> work) {
    return withLockOn(maxWait, engine.completers.ofClient, work);
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
      Duration maxWait,
      Executor executor,
      Function<? super Lease, ? extends CompletionStage<T>> work) {
    return withLockOn(maxWait, engine.completers.ofUser(executor), work);
  }

  private <T extends @Nullable Object> CompletableFuture<T> withLockOn(
      Duration maxWait,
      Executor completer,
      Function<? super Lease, ? extends CompletionStage<T>> work) {
    requireNonNull(work, "work");
    return AsyncScope.of(acquireOn(maxWait, completer), completer, work);
  }

  /** The lease of the scope that the calling thread is inside of, entered once more; or null. */
  @Nullable Lease reenter() {
    return engine.scopedHolds.reenter(name, mode(), options);
  }

  Lease enter(Lease lease) {
    return engine.scopedHolds.enter(name, mode(), lease);
  }

  void exit(Lease lease) {
    engine.scopedHolds.exit(name, mode());
  }

  /** What the work threw goes before what leaving throws. */
  private <E extends Exception> void run(Lease lease, LockedRun<E> work) throws E {
    try {
      work.run(lease);
    } catch (Throwable thrown) {
      exitAfter(thrown, lease);
      throw thrown;
    }
    leave(lease);
  }

  private <T extends @Nullable Object, E extends Exception> T call(
      Lease lease, LockedCall<T, E> work) throws E {
    T result;
    try {
      result = work.call(lease);
    } catch (Throwable thrown) {
      exitAfter(thrown, lease);
      throw thrown;
    }
    leave(lease);
    return result;
  }

  /**
   * The work is done: that its lease may stay for a ttl, since the store does not answer, is told
   * as an event and in the log, and does not take its result away.
   */
  private void leave(Lease lease) {
    try {
      exit(lease);
    } catch (StoreException e) {
      Log.warn(String.valueOf(e.getMessage()));
    }
  }

  private void exitAfter(Throwable thrown, Lease lease) {
    try {
      exit(lease);
    } catch (RuntimeException e) {
      thrown.addSuppressed(e);
    }
  }

  @Override
  public DistributedLockView asLock() {
    return new LockView(this);
  }

  @Override
  public Optional<LockSnapshot> inspect() {
    return engine.list(Optional.of(name)).stream().findFirst();
  }

  @Override
  public boolean breakLease(long fencingToken) {
    return engine.breakLease(name, FenceNumber.number(fencingToken));
  }

  @Override
  public String toString() {
    return "DistributedLock[" + name + "]";
  }

  /** A lock as {@code java.util.concurrent} knows it. */
  static final class LockView implements DistributedLockView {
    private final LockHandle lock;
    private final ScopedHolds holds;

    LockView(LockHandle lock) {
      this.lock = lock;
      this.holds = lock.engine.scopedHolds;
    }

    @Override
    public void lock() {
      if (!reenter()) {
        holds.enter(lock.name(), lock.mode(), lock.acquireUninterruptibly());
      }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (!reenter()) {
        holds.enter(lock.name(), lock.mode(), lock.acquire());
      }
    }

    @Override
    public boolean tryLock() {
      return !isRefused() && (reenter() || entered(lock.tryAcquire()));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return !isRefused()
          && (reenter() || entered(lock.tryAcquire(Duration.ofNanos(unit.toNanos(time)))));
    }

    @Override
    public void unlock() {
      holds.exit(lock.name(), lock.mode());
    }

    @Override
    public boolean isHeldByCurrentThread() {
      Lease lease = holds.inside(lock.name(), lock.mode());
      return lease != null && lease.isHeld();
    }

    @Override
    public int getHoldCount() {
      return holds.count(lock.name(), lock.mode());
    }

    @Override
    public Lease lease() {
      Lease lease = holds.inside(lock.name(), lock.mode());
      if (lease == null) {
        throw ScopedHolds.notInside(lock.name());
      }
      return lease;
    }

    /** Refuses: a condition cannot be signalled across processes. */
    @Override
    public Condition newCondition() {
      throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    private boolean reenter() {
      return holds.reenter(lock.name(), lock.mode(), lock.options) != null;
    }

    /** A try does not throw where it can say no. */
    private boolean isRefused() {
      return holds.refuses(lock.name(), lock.mode(), lock.options);
    }

    private boolean entered(Optional<Lease> lease) {
      lease.ifPresent(granted -> holds.enter(lock.name(), lock.mode(), granted));
      return lease.isPresent();
    }

    @Override
    public String toString() {
      return lock + ".asLock()";
    }
  }
}
