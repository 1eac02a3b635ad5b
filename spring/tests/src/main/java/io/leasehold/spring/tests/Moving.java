package io.leasehold.spring.tests;

import io.leasehold.DistributedReadWriteLock;
import io.leasehold.DistributedSemaphore;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.MultiLease;
import io.leasehold.shedlock.LeaseholdLockProvider;
import io.leasehold.spring.Locked;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.annotation.Scheduled;

/** The code of docs/moving.md. */
class Moving {
  static final class FromShedLock {
    @Bean
    LockProvider lockProvider(LockClient locks) {
      return new LeaseholdLockProvider(locks);
    }

    @Scheduled(cron = "0 0 3 * * *")
    @Locked(value = "nightly-report", minHold = "5m", maxHold = "2h")
    public void report() {
      write();
    }
  }

  static final class FromSpringIntegration {
    private final LockRegistry registry;

    FromSpringIntegration(LockRegistry registry) {
      this.registry = registry;
    }

    void write(String customer) {
      Lock lock = registry.obtain("customer:" + customer);
      lock.lock();
      try {
        Moving.write();
      } finally {
        lock.unlock();
      }
    }

    @Bean
    LockRegistryLeaderInitiator initiator() {
      return new LockRegistryLeaderInitiator(registry, new DefaultCandidate("node-1", "scheduler"));
    }
  }

  static final class FromRedisson {
    private final LockClient locks;

    FromRedisson(LockClient locks) {
      this.locks = locks;
    }

    void locked() {
      Lock lock = locks.lock("report").asLock(); // redisson.getLock("report")
      lock.lock();
      try {
        write();
      } finally {
        lock.unlock();
      }
    }

    boolean triedForATime() throws InterruptedException {
      // lock.tryLock(5, 60, SECONDS): wait 5 s, keep it for 60 s at most
      LockOptions minute = LockOptions.defaults().withMaxHold(Duration.ofSeconds(60));
      return locks.lock("report").with(minute).tryWithLock(Duration.ofSeconds(5), lease -> write());
    }

    void otherLocks() throws InterruptedException {
      // getFairLock
      locks.lock("report").with(LockOptions.defaults().fair()).withLock(lease -> write());
      // getReadWriteLock
      DistributedReadWriteLock prices = locks.readWriteLock("prices");
      prices.readLock().withLock(lease -> write());
      // getPermitExpirableSemaphore, trySetPermits(5)
      DistributedSemaphore exports = locks.semaphore("exports", 5);
      exports.acquire(Duration.ofSeconds(10)).release();
      // getMultiLock
      try (MultiLease both = locks.allOf("account:1", "account:2").acquire()) {
        write();
      }
      // getFencedLock, lockAndGetToken
      try (Lease lease = locks.lock("report").acquire()) {
        write(lease.fencingToken());
      }
    }
  }

  static final class FromLock4j {
    private final LockClient locks;

    FromLock4j(LockClient locks) {
      this.locks = locks;
    }

    // @Lock4j(name = "order", keys = "#id", acquireTimeout = 1000, expire = 60000)
    @Locked(value = "order:#{#id}", maxWait = "1s", maxHold = "60s")
    public void ship(long id) {
      write(id);
    }

    // lockTemplate.lock("order", 60000, 1000), releaseLock
    void byHand() throws InterruptedException {
      Optional<Lease> lease = locks.lock("order").tryAcquire(Duration.ofSeconds(1));
      if (lease.isPresent()) {
        try (Lease held = lease.get()) {
          write(held.fencingToken());
        }
      }
    }
  }

  private static void write(long... values) {
    if (values.length > 1) {
      throw new IllegalArgumentException("too much");
    }
  }
}
