package io.leasehold.peers;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.MultiLease;
import io.leasehold.MultiLock;
import io.leasehold.MultiLockedCall;
import io.leasehold.MultiLockedRun;
import io.leasehold.event.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Several locks as one, which the library makes one lock of. */
record PeerMultiLock(List<String> names, DistributedLock all) implements MultiLock {
  @Override
  public MultiLock with(LockOptions options) {
    return new PeerMultiLock(names, all.with(options));
  }

  @Override
  public MultiLease acquire() throws InterruptedException {
    return new All(all.acquire());
  }

  @Override
  public MultiLease acquire(Duration maxWait) throws InterruptedException {
    return new All(all.acquire(maxWait));
  }

  @Override
  public Optional<MultiLease> tryAcquire() {
    return all.tryAcquire().map(All::new);
  }

  @Override
  public Optional<MultiLease> tryAcquire(Duration maxWait) throws InterruptedException {
    return all.tryAcquire(maxWait).map(All::new);
  }

  @Override
  public CompletableFuture<MultiLease> acquireAsync(Duration maxWait) {
    throw new UnsupportedOperationException("several locks are not waited for without a thread");
  }

  @Override
  public CompletableFuture<MultiLease> acquireAsync(Duration maxWait, Executor executor) {
    return acquireAsync(maxWait);
  }

  @Override
  public CompletableFuture<MultiLease> acquireAsync() {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public CompletableFuture<Optional<MultiLease>> tryAcquireAsync() {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public CompletableFuture<Optional<MultiLease>> tryAcquireAsync(Duration maxWait) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public <E extends Exception> void withLock(MultiLockedRun<E> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public <E extends Exception> void withLock(Duration maxWait, MultiLockedRun<E> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T callWithLock(
      MultiLockedCall<T, E> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T callWithLock(
      Duration maxWait, MultiLockedCall<T, E> work) {
    throw new UnsupportedOperationException("not asked of it");
  }

  private record All(Lease lease) implements MultiLease {
    @Override
    public Lease get(String name) {
      throw new UnsupportedOperationException("its parts have no leases of their own");
    }

    @Override
    public List<Lease> leases() {
      throw new UnsupportedOperationException("its parts have no leases of their own");
    }

    @Override
    public boolean isHeld() {
      return lease.isHeld();
    }

    @Override
    public Duration remaining() {
      return lease.remaining();
    }

    @Override
    public void ensureHeld(Duration atLeast) {
      lease.ensureHeld(atLeast);
    }

    @Override
    public Lease.Registration onLost(Runnable callback) {
      return lease.onLost(callback);
    }

    @Override
    public Lease.Registration onLost(Consumer<LockEvent.Lost.Reason> callback) {
      return lease.onLost(callback);
    }

    @Override
    public Lease.Registration onJeopardy(Consumer<Duration> callback) {
      return lease.onJeopardy(callback);
    }

    @Override
    public CompletableFuture<Void> releaseAsync() {
      return lease.releaseAsync();
    }

    @Override
    public void release() {
      lease.release();
    }
  }
}
