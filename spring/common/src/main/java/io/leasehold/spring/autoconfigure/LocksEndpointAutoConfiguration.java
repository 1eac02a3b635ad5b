package io.leasehold.spring.autoconfigure;

import io.leasehold.LockClient;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code locks}, with Actuator. */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnSingleCandidate(LockClient.class)
@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
public class LocksEndpointAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  LocksEndpoint leaseholdLocksEndpoint(LockClient locks) {
    return new LocksEndpoint(locks);
  }
}
