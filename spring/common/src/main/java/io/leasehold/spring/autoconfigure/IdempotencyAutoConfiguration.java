package io.leasehold.spring.autoconfigure;

import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.json.Jackson2Codec;
import io.leasehold.idempotency.json.Jackson3Codec;
import io.leasehold.spring.IdempotencyTables;
import io.leasehold.spring.IdempotentAdvisor;
import io.leasehold.spring.IdempotentChecks;
import io.leasehold.spring.IdempotentCodecs;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/**
 * {@link io.leasehold.spring.Idempotent} and its checks, and the {@link Idempotency} of the
 * application, in the same store as the locks; with leasehold-idempotency.
 */
@AutoConfiguration(
    after = LeaseholdAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
      "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
      "org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration"
    })
@ConditionalOnClass(Idempotency.class)
@EnableConfigurationProperties({LeaseholdProperties.class, IdempotencyProperties.class})
@Import(LockedAutoConfiguration.Proxies.class)
public class IdempotencyAutoConfiguration {
  private static final String PLACE = "leaseholdIdempotencyPlace";

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static IdempotentAdvisor leaseholdIdempotentAdvisor(ConfigurableListableBeanFactory beans) {
    return new IdempotentAdvisor(new IdempotencyHome(beans));
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static IdempotentChecks leaseholdIdempotentChecks(
      IdempotentAdvisor advisor, ConfigurableListableBeanFactory beans) {
    return new IdempotentChecks(advisor, beans);
  }

  /** Made when the first one asks for it: what is not used needs no store. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(Idempotency.class)
  static class StoreConfiguration {
    // Apart from what uses it, so that it is closed after that
    @Bean(name = PLACE)
    @Lazy
    @DependsOnDatabaseInitialization
    IdempotencyPlace leaseholdIdempotencyPlace(
        LeaseholdProperties settings,
        ObjectProvider<StoreBeans<?>> kinds,
        ObjectProvider<IdempotencyTables> tables,
        ConfigurableListableBeanFactory beans) {
      IdempotencyTables given = tables.getIfUnique();
      if (given != null) {
        return IdempotencyPlace.in(given);
      }
      Optional<StoreChoice.Candidate> chosen =
          new StoreChoice(settings, List.copyOf(kinds.stream().toList()), beans)
              .bean("results of idempotent work", PLACE);
      return chosen.isPresent()
          ? IdempotencyPlace.in(chosen.get(), beans.getBean(chosen.get().name()), settings)
          : IdempotencyPlace.at(String.valueOf(settings.url()));
    }

    @Bean(destroyMethod = "close")
    @Lazy
    Idempotency leaseholdIdempotency(
        IdempotencyPlace place, LeaseholdProperties settings, IdempotencyProperties idempotency) {
      Idempotency.Builder builder =
          Idempotency.builder(place.store())
              .keep(idempotency.keep())
              .claimLife(idempotency.claimLife());
      Optional.ofNullable(settings.requestTimeout()).ifPresent(builder::requestTimeout);
      return builder.build();
    }
  }

  /** With Jackson 3, of Spring Boot 4. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "tools.jackson.databind.json.JsonMapper")
  static class Jackson3Configuration {
    @Bean
    @ConditionalOnMissingBean(IdempotentCodecs.class)
    @ConditionalOnSingleCandidate(tools.jackson.databind.json.JsonMapper.class)
    IdempotentCodecs leaseholdJackson3Codecs(tools.jackson.databind.json.JsonMapper mapper) {
      return type ->
          Jackson3Codec.of(
              mapper,
              new tools.jackson.core.type.TypeReference<Object>() {
                @Override
                public Type getType() {
                  return type;
                }
              });
    }
  }

  /** With Jackson 2, of Spring Boot 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "com.fasterxml.jackson.databind.ObjectMapper")
  static class Jackson2Configuration {
    @Bean
    @ConditionalOnMissingBean(IdempotentCodecs.class)
    @ConditionalOnSingleCandidate(com.fasterxml.jackson.databind.ObjectMapper.class)
    IdempotentCodecs leaseholdJackson2Codecs(com.fasterxml.jackson.databind.ObjectMapper mapper) {
      return type ->
          Jackson2Codec.of(
              mapper,
              new com.fasterxml.jackson.core.type.TypeReference<Object>() {
                @Override
                public Type getType() {
                  return type;
                }
              });
    }
  }
}
