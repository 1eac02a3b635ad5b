package io.leasehold.peers;

import io.leasehold.LockOptions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.DistributedLock;

/** A lock of either of Spring Integration's registries. */
record SpringMutex(DistributedLock spring, LockOptions options) implements Mutex {
  /** What both registries do not claim. */
  static final Map<String, String> EXCLUDED =
      Map.of(
          "R13_whatIsNoNameIsRefused", "it names no names that it would refuse",
          "R20_noTryOvertakesAWaiter", "it names no order",
          "R20_waitersOfOneProcessAreServedInOrder", "it names no order");

  @Override
  public void lock() throws Exception {
    if (options.ttl().isPresent()) {
      spring.lock(options.ttl().orElseThrow());
    } else {
      spring.lockInterruptibly();
    }
  }

  @Override
  public boolean tryLock() throws Exception {
    return options.ttl().isPresent() ? tryLock(Duration.ZERO) : spring.tryLock();
  }

  @Override
  public boolean tryLock(Duration maxWait) throws Exception {
    return options.ttl().isPresent()
        ? spring.tryLock(maxWait, options.ttl().orElseThrow())
        : spring.tryLock(maxWait.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void unlock() {
    spring.unlock();
  }

  @Override
  public Lock asLock() {
    return spring;
  }
}
