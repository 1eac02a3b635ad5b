package io.leasehold.peers;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RPermitExpirableSemaphore;

/** Permits of one lease. */
final class RedissonPermits implements Mutex {
  private final RPermitExpirableSemaphore semaphore;
  private final int size;
  private final int count;
  private final long leaseMillis;
  private List<String> ids = List.of();

  RedissonPermits(RPermitExpirableSemaphore semaphore, int size, int count, long leaseMillis) {
    this.semaphore = semaphore;
    this.size = size;
    this.count = count;
    this.leaseMillis = leaseMillis;
  }

  /** The first who comes says how many there are. */
  private void size() {
    if (!semaphore.trySetPermits(size) && semaphore.getPermits() != size) {
      throw new UnsupportedOperationException("the size belongs to the semaphore, not to a caller");
    }
  }

  @Override
  public void lock() throws Exception {
    size();
    ids = semaphore.acquire(count, leaseMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  public boolean tryLock() throws Exception {
    return tryLock(Duration.ZERO);
  }

  @Override
  public boolean tryLock(Duration maxWait) throws Exception {
    size();
    ids =
        semaphore.tryAcquire(
            count, Math.max(0, maxWait.toMillis()), leaseMillis, TimeUnit.MILLISECONDS);
    return ids != null && !ids.isEmpty();
  }

  @Override
  public void unlock() {
    semaphore.release(ids);
  }

  /** It refuses the question for a permit that is over. */
  @Override
  public boolean isHeld() {
    try {
      return semaphore.getLeaseTime(ids.get(0)) != 0;
    } catch (IllegalArgumentException over) {
      return false;
    }
  }

  @Override
  public Duration remaining() {
    return Duration.ofMillis(semaphore.getLeaseTime(ids.get(0)));
  }

  @Override
  public boolean isReentrant() {
    return false;
  }
}
