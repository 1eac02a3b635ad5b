package io.leasehold.peers;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.MultiLease;
import io.leasehold.MultiLock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

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
  public CompletionStage<MultiLease> acquireAsync(Duration maxWait) {
    throw new UnsupportedOperationException("several locks are not waited for without a thread");
  }

  @Override
  public CompletionStage<MultiLease> acquireAsync(Duration maxWait, Executor executor) {
    return acquireAsync(maxWait);
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
    public void onLost(Runnable callback) {
      lease.onLost(callback);
    }

    @Override
    public void release() {
      lease.release();
    }
  }
}
