package io.leasehold.spring.autoconfigure;

import io.leasehold.LockClient;
import io.leasehold.micrometer.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * The meters of the client, with leasehold-micrometer and a {@link MeterRegistry}; none if the
 * application defines a {@link LockMetrics}, for example with a template.
 */
@AutoConfiguration(
    after = LeaseholdAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass({LockMetrics.class, MeterRegistry.class})
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnSingleCandidate(LockClient.class)
public class LockMetricsAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  LockMetrics leaseholdMetrics(LockClient locks) {
    return new LockMetrics(locks);
  }
}
