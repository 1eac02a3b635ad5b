package io.leasehold.spring.boot4;

import io.leasehold.LockClient;
import io.leasehold.spring.RegistryLock;
import java.time.Duration;
import java.util.Objects;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Locks of a {@link LockClient} for Spring Integration 7. The key is a string, and the lock name.
 * Keeps nothing for a key, and does not close the client. Thread-safe.
 */
public final class LeaseholdLockRegistry implements RenewableLockRegistry<DistributedLock> {
  private final LockClient locks;

  /** A registry of this client's locks. */
  public LeaseholdLockRegistry(LockClient locks) {
    this.locks = Objects.requireNonNull(locks, "locks");
  }

  /**
   * The lock of this key; needs no request.
   *
   * @throws IllegalArgumentException if the key is no string, or no lock name
   */
  @Override
  public DistributedLock obtain(Object lockKey) {
    return new KeyLock(locks, lockKey);
  }

  /** Requires that the calling thread holds the lock of this key: {@link RegistryLock#renew()}. */
  @Override
  public void renewLock(Object lockKey) {
    new KeyLock(locks, lockKey).renew();
  }

  /** As {@link #renewLock(Object)}, for so long: {@link RegistryLock#renew(Duration)}. */
  @Override
  public void renewLock(Object lockKey, Duration ttl) {
    new KeyLock(locks, lockKey).renew(ttl);
  }

  private static final class KeyLock extends RegistryLock implements DistributedLock {
    KeyLock(LockClient locks, Object key) {
      super(locks, key);
    }
  }
}
