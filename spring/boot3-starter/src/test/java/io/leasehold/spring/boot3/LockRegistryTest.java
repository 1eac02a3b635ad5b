package io.leasehold.spring.boot3;

import io.leasehold.LockClient;
import io.leasehold.spring.tests.LockRegistryContract;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** On Spring Boot 3: the registry of Spring Integration 6. */
class LockRegistryTest extends LockRegistryContract {
  @Override
  protected RenewableLockRegistry over(LockClient locks) {
    return new LeaseholdLockRegistry(locks);
  }
}
