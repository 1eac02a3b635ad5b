package io.leasehold.peers;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.BiConsumer;
import org.redisson.api.RFencedLock;
import org.redisson.api.RFuture;
import org.redisson.api.RLock;

/** One of Redisson's locks: by a thread, or, taken without one, by an id in place of a thread's. */
final class RedissonMutex implements Mutex {
  /** The leaseTime that stands for the watchdog. */
  static final long WATCHED = -1;

  private static final long FIRST_ID = 1L << 40;

  private final RLock lock;
  private final long leaseMillis;
  private final AtomicLong ids;
  private Optional<Long> id = Optional.empty();
  private volatile long token;

  RedissonMutex(RLock lock, long leaseMillis, AtomicLong ids) {
    this.lock = lock;
    this.leaseMillis = leaseMillis;
    this.ids = ids;
  }

  /** For ids that no thread has. */
  static AtomicLong ids() {
    return new AtomicLong(FIRST_ID);
  }

  @Override
  public void lock() throws Exception {
    lock.lockInterruptibly(leaseMillis, TimeUnit.MILLISECONDS);
    taken(true);
  }

  @Override
  public boolean tryLock() throws Exception {
    return leaseMillis == WATCHED ? taken(lock.tryLock()) : tryLock(Duration.ZERO);
  }

  @Override
  public boolean tryLock(Duration maxWait) throws Exception {
    return taken(lock.tryLock(maxWait.toMillis(), leaseMillis, TimeUnit.MILLISECONDS));
  }

  /** The token is asked for while the lock is held: later it may be another's. */
  private boolean taken(boolean isTaken) {
    if (isTaken && lock instanceof RFencedLock fenced) {
      token = fenced.getToken();
    }
    return isTaken;
  }

  @Override
  public void unlock() throws Exception {
    if (id.isPresent()) {
      lock.unlockAsync(id.orElseThrow()).toCompletableFuture().get();
    } else {
      lock.unlock();
    }
  }

  @Override
  public boolean isHeld() {
    return id.isPresent() ? lock.isHeldByThread(id.orElseThrow()) : lock.isHeldByCurrentThread();
  }

  /** Of the lock, whichever holder it has: so only after the question whether it is held. */
  @Override
  public Duration remaining() {
    return isHeld() ? Duration.ofMillis(Math.max(0, lock.remainTimeToLive())) : Duration.ZERO;
  }

  @Override
  public long token() {
    if (token == 0) {
      throw new UnsupportedOperationException("it was taken without a fencing token");
    }
    return token;
  }

  @Override
  public Lock asLock() {
    return lock;
  }

  @Override
  public Pending tryLockLater(Duration maxWait) {
    long mine = ids.incrementAndGet();
    id = Optional.of(mine);
    RFuture<Boolean> future =
        lock.tryLockAsync(maxWait.toMillis(), leaseMillis, TimeUnit.MILLISECONDS, mine);
    return new Later(future);
  }

  private record Later(RFuture<Boolean> future) implements Pending {
    @Override
    public void whenDone(BiConsumer<Boolean, Throwable> told) {
      CompletableFuture<Boolean> end = future.toCompletableFuture();
      end.whenComplete(told);
    }

    @Override
    public boolean cancel() {
      return future.cancel(true);
    }
  }
}
