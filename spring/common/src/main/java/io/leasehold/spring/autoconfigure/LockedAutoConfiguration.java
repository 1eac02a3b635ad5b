package io.leasehold.spring.autoconfigure;

import io.leasehold.LockClient;
import io.leasehold.spring.LockedAdvisor;
import io.leasehold.spring.LockedChecks;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;

/** {@link io.leasehold.spring.Locked}, and its checks at start-up. */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@Import(LockedAutoConfiguration.Proxies.class)
public class LockedAutoConfiguration {
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static LockedAdvisor leaseholdLockedAdvisor(
      ObjectProvider<LockClient> clients, ConfigurableListableBeanFactory beans) {
    return new LockedAdvisor(clients::getObject, beans);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static LockedChecks leaseholdLockedChecks(
      LockedAdvisor advisor,
      ObjectProvider<LockClient> clients,
      ConfigurableListableBeanFactory beans) {
    return new LockedChecks(advisor, clients::getObject, beans);
  }

  /** Makes proxies, also where {@code spring.aop.auto} is off. */
  static final class Proxies implements ImportBeanDefinitionRegistrar {
    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    }
  }
}
