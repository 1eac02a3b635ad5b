package io.leasehold.spring.boot3;

import io.leasehold.LockClient;
import io.leasehold.spring.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.spring.autoconfigure.LockHealth;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The health indicator {@code locks}, with Actuator; see {@link LockHealth}. */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnSingleCandidate(LockClient.class)
@ConditionalOnEnabledHealthIndicator("locks")
public class LockHealthAutoConfiguration {
  @Bean
  LockHealth leaseholdHealth(LockClient locks) {
    return new LockHealth(locks);
  }

  @Bean
  @ConditionalOnMissingBean(name = "locksHealthIndicator")
  HealthIndicator locksHealthIndicator(LockHealth health) {
    return new LockHealthIndicator(health);
  }
}
