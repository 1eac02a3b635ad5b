package io.leasehold.internal;

import io.leasehold.DistributedLockView;
import io.leasehold.DistributedSemaphore;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.internal.Terms.Share;
import org.jspecify.annotations.Nullable;

/** A lock of permits: each acquisition is one of its own, whatever the thread is inside of. */
final class SemaphoreHandle extends LockHandle implements DistributedSemaphore {
  private final int permits;
  private final int size;

  SemaphoreHandle(NameQueue queue, int permits, int size, LockOptions options) {
    super(queue, share(queue.name, permits, size), options);
    this.permits = permits;
    this.size = size;
  }

  private static Share share(String name, int permits, int size) {
    if (size < 1) {
      throw new IllegalArgumentException(
          "semaphore '" + name + "': it must have at least 1 permit, but the size is " + size);
    }
    if (permits < 1 || permits > size) {
      throw new IllegalArgumentException(
          "semaphore '" + name + "': a lease takes 1 to " + size + " permits, not " + permits);
    }
    return Share.permits(permits, size);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int permits() {
    return permits;
  }

  @Override
  public DistributedSemaphore permits(int count) {
    return new SemaphoreHandle(queue, count, size, options);
  }

  @Override
  public DistributedSemaphore with(LockOptions newOptions) {
    return new SemaphoreHandle(queue, permits, size, newOptions);
  }

  @Override
  @Nullable Lease reenter() {
    return null;
  }

  @Override
  Lease enter(Lease lease) {
    return lease;
  }

  @Override
  void exit(Lease lease) {
    lease.release();
  }

  @Override
  public DistributedLockView asLock() {
    throw new UnsupportedOperationException(
        "semaphore '"
            + name
            + "': its permits belong to no thread, so there is no Lock; use acquire");
  }

  @Override
  public String toString() {
    return "DistributedSemaphore[" + name + ", " + permits + " of " + size + "]";
  }
}
