package io.leasehold.spring.autoconfigure;

import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.event.LockListener;
import io.leasehold.jdbc.JdbcStores;
import io.leasehold.redis.RedisStores;
import io.leasehold.spring.LockClientCustomizer;
import io.leasehold.zookeeper.ZooKeeperStores;
import io.lettuce.core.RedisClient;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.Jedis;

/**
 * The {@link LockClient} of the application, by {@link LeaseholdProperties}; none if the
 * application defines one. It is closed, and so all locks are released, before the pool or client
 * that it uses.
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
    })
@ImportRuntimeHints(LeaseholdRuntimeHints.class)
public class LeaseholdAutoConfiguration {
  private static final String STORE = "leaseholdStore";

  /** Where the locks are kept. Apart from the client, so that it is closed after that. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(LockClient.class)
  @EnableConfigurationProperties(LeaseholdProperties.class)
  static class ClientConfiguration {
    @Bean(name = STORE)
    @DependsOnDatabaseInitialization
    OpenableStore leaseholdStore(
        LeaseholdProperties settings,
        ObjectProvider<StoreBeans<?>> kinds,
        ConfigurableListableBeanFactory beans) {
      return new StoreChoice(settings, List.copyOf(kinds.stream().toList()), beans).choose(STORE);
    }

    @Bean(destroyMethod = "close")
    LockClient lockClient(
        OpenableStore leaseholdStore,
        LeaseholdProperties settings,
        ObjectProvider<LockListener> listeners,
        ObjectProvider<LockClientCustomizer> customizers) {
      LockClientBuilder builder = leaseholdStore.builder();
      Optional.ofNullable(settings.ttl()).ifPresent(builder::ttl);
      Optional.ofNullable(settings.requestTimeout()).ifPresent(builder::requestTimeout);
      Optional.ofNullable(settings.closeTimeout()).ifPresent(builder::closeTimeout);
      Optional.ofNullable(settings.handOver()).ifPresent(builder::handOver);
      if (settings.closeWaitsForHolders()) {
        builder.closeWaitsForHolders();
      }
      if (settings.acceptUnfenced()) {
        builder.acceptUnfenced();
      }
      settings.require().forEach(builder::require);
      listeners.orderedStream().forEach(builder::listener);
      customizers.orderedStream().forEach(each -> each.customize(builder));
      return builder.build();
    }

    @Bean
    LockClientShutdown leaseholdShutdown(LockClient lockClient, ApplicationContext context) {
      return new LockClientShutdown(lockClient, context);
    }
  }

  /** With leasehold-jdbc. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({JdbcStores.class, DataSource.class})
  static class DataSourceConfiguration {
    @Bean
    DataSourceStores leaseholdDataSourceStores() {
      return new DataSourceStores();
    }
  }

  /** With leasehold-redis, Spring Data Redis and Lettuce. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RedisStores.class, LettuceConnectionFactory.class, RedisClient.class})
  static class LettuceConfiguration {
    @Bean
    LettuceFactoryStores leaseholdLettuceStores() {
      return new LettuceFactoryStores();
    }
  }

  /** With leasehold-redis, Spring Data Redis and Jedis. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RedisStores.class, JedisConnectionFactory.class, Jedis.class})
  static class JedisConfiguration {
    @Bean
    JedisFactoryStores leaseholdJedisStores() {
      return new JedisFactoryStores();
    }
  }

  /** With leasehold-zookeeper and Curator. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({ZooKeeperStores.class, CuratorFramework.class})
  static class CuratorConfiguration {
    @Bean
    CuratorStores leaseholdCuratorStores() {
      return new CuratorStores();
    }
  }
}
