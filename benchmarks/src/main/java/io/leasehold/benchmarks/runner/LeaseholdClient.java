package io.leasehold.benchmarks.runner;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * Leasehold as its users have it, through its public API only.
 *
 * @param locks the client
 */
public record LeaseholdClient(LockClient locks) implements Client {
  /** No answer is given up because the machine does much else; nothing gets faster by it. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Connects. */
  public static LeaseholdClient connect(String url, Duration ttl) {
    return new LeaseholdClient(Leasehold.builder(url).ttl(ttl).requestTimeout(PATIENCE).build());
  }

  @Override
  public Mutex mutex(String name) {
    return Mutex.of(locks.lock(name).asLock());
  }

  @Override
  public Mutex fair(String name) {
    return Mutex.of(locks.lock(name).with(LockOptions.defaults().fair()).asLock());
  }

  @Override
  public Held hold(String name) {
    Lease lease = keep(name);
    return new Held(Optional.of(lease::isHeld), lease::release);
  }

  @Override
  public Lease keep(String name) {
    try {
      return locks.lock(name).acquire();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
