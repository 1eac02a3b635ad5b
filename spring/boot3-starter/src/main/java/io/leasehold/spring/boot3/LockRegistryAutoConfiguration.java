package io.leasehold.spring.boot3;

import io.leasehold.LockClient;
import io.leasehold.spring.autoconfigure.LeaseholdAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** A lock registry, with Spring Integration; none if the application defines one. */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnSingleCandidate(LockClient.class)
public class LockRegistryAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(LockRegistry.class)
  LeaseholdLockRegistry leaseholdLockRegistry(LockClient locks) {
    return new LeaseholdLockRegistry(locks);
  }
}
