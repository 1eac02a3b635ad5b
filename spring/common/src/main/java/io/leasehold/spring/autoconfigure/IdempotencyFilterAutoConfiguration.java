package io.leasehold.spring.autoconfigure;

import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.servlet.IdempotencyFilter;
import io.leasehold.spring.IdempotencyFilterCustomizer;
import jakarta.servlet.DispatcherType;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The HTTP filter, with leasehold-idempotency-servlet, where {@code leasehold.idempotency.paths} is
 * set; none if the application registers an {@link IdempotencyFilter} itself.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@Conditional(IdempotencyFilterAutoConfiguration.PathsAreSet.class)
public class IdempotencyFilterAutoConfiguration {
  /** Behind the filters of Spring Security, whose order is -100, which say who the caller is. */
  public static final int ORDER = -90;

  private static final String FILTER = "io.leasehold.idempotency.servlet.IdempotencyFilter";

  /** The filter. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = FILTER)
  static class FilterConfiguration {
    @Bean
    @ConditionalOnMissingBean(
        value = IdempotencyFilter.class,
        parameterizedContainer = FilterRegistrationBean.class)
    FilterRegistrationBean<IdempotencyFilter> leaseholdIdempotencyFilter(
        Idempotency idempotency,
        IdempotencyProperties settings,
        ObjectProvider<IdempotencyFilterCustomizer> customizers) {
      IdempotencyFilter.Builder builder = IdempotencyFilter.builder(idempotency);
      builder.requireKey(request -> settings.requireKey());
      customizers.orderedStream().forEach(each -> each.customize(builder));
      FilterRegistrationBean<IdempotencyFilter> filter =
          new FilterRegistrationBean<>(builder.build());
      filter.setUrlPatterns(settings.paths());
      filter.setDispatcherTypes(DispatcherType.REQUEST);
      filter.setOrder(ORDER);
      return filter;
    }
  }

  /** Requests would be processed twice, without a word. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass(FILTER)
  static class MissingConfiguration implements InitializingBean {
    @Override
    public void afterPropertiesSet() {
      throw new LeaseholdSettingsException(
          "leasehold.idempotency.paths is set, but the HTTP filter is not there",
          "Add the module io.leasehold:leasehold-idempotency-servlet.");
    }
  }

  /** In any form of a list. */
  static final class PathsAreSet implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return Binder.get(context.getEnvironment())
          .bind("leasehold.idempotency.paths", Bindable.listOf(String.class))
          .map(paths -> !paths.isEmpty())
          .orElse(false);
    }
  }
}
