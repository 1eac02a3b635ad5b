package io.leasehold.spring.boot4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.LockClient;
import io.leasehold.spring.tests.LockRegistryContract;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** On Spring Boot 4: the registry of Spring Integration 7, and what only that has. */
class LockRegistryTest extends LockRegistryContract {
  @Override
  protected RenewableLockRegistry<?> over(LockClient locks) {
    return new LeaseholdLockRegistry(locks);
  }

  @Test
  void aLockMayHaveATtlAndBeRenewed() throws Exception {
    LockClient locks = client();
    RenewableLockRegistry<DistributedLock> registry = new LeaseholdLockRegistry(locks);
    DistributedLock lock = registry.obtain("key");
    lock.lock(Duration.ofMinutes(5));
    registry.renewLock("key", Duration.ofMinutes(4));
    assertThat(locks.lock("key").inspect().orElseThrow().holders().get(0).remaining())
        .isGreaterThan(Duration.ofMinutes(4));
    lock.unlock();
    assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofMinutes(5))).isTrue();
    lock.unlock();
    assertThatThrownBy(() -> registry.renewLock("key", Duration.ofSeconds(1)))
        .isInstanceOf(IllegalStateException.class);
  }
}
