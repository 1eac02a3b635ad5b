package io.leasehold.spring.boot3;

import io.leasehold.LockClient;
import io.leasehold.spring.RegistryLock;
import java.util.Objects;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Locks of a {@link LockClient} for Spring Integration 6. The key is a string, and the lock name.
 * Keeps nothing for a key, and does not close the client. Thread-safe.
 */
public final class LeaseholdLockRegistry implements RenewableLockRegistry {
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
  public RegistryLock obtain(Object lockKey) {
    return new KeyLock(locks, lockKey);
  }

  /** Requires that the calling thread holds the lock of this key: {@link RegistryLock#renew()}. */
  @Override
  public void renewLock(Object lockKey) {
    obtain(lockKey).renew();
  }

  private static final class KeyLock extends RegistryLock {
    KeyLock(LockClient locks, Object key) {
      super(locks, key);
    }
  }
}
