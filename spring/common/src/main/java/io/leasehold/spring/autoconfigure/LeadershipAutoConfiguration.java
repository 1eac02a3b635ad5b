package io.leasehold.spring.autoconfigure;

import io.leasehold.LockClient;
import io.leasehold.spring.LeadershipCandidate;
import io.leasehold.spring.Leaderships;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** The elections in which the application takes part; see {@link Leaderships}. */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@ConditionalOnSingleCandidate(LockClient.class)
@EnableConfigurationProperties(LeaseholdProperties.class)
public class LeadershipAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  Leaderships leaseholdLeaderships(
      LockClient locks,
      LeaseholdProperties settings,
      ObjectProvider<LeadershipCandidate> candidates,
      ApplicationEventPublisher events) {
    List<LeadershipCandidate> all =
        Stream.concat(
                settings.leadership().stream().map(LeadershipCandidate::of),
                candidates.orderedStream())
            .toList();
    return new Leaderships(locks, all, events);
  }
}
