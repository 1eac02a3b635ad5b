package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import io.leasehold.jdbc.JdbcStores;
import io.leasehold.spring.autoconfigure.LocksEndpoint;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.InMemoryServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.AbstractRefreshableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** What the starter configures, on H2 and in memory. */
public abstract class StarterContract {
  private static ApplicationContextRunner onPool(String database) {
    return Contexts.with(Line.here().jdbc())
        .withPropertyValues(
            "spring.datasource.url=jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1",
            "leasehold.create-tables=true");
  }

  @Test
  void aUrlIsEnough() {
    Contexts.with()
        .withPropertyValues("leasehold.url=jdbc:h2:mem:url", "leasehold.ttl=2s")
        .run(
            context -> {
              assertThat(context).hasSingleBean(LockClient.class);
              try (Lease lease = context.getBean(LockClient.class).lock("x").acquire()) {
                assertThat(lease.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(2));
              }
            });
  }

  @Test
  void theOnePoolOfTheApplicationIsUsed() {
    onPool("one")
        .withPropertyValues("leasehold.prefix=other")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              LockClient locks = context.getBean(LockClient.class);
              try (LockClient same =
                      Leasehold.builder(
                              JdbcStores.using(context.getBean(DataSource.class)).tables("other"))
                          .build();
                  Lease lease = locks.lock("x").acquire()) {
                assertThat(same.lock("x").isLocked()).isTrue();
              }
            });
  }

  @Test
  void noStoreAndSeveralStoresAreErrorsThatSayWhatToWrite() {
    Contexts.with()
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("locks have no store"));
    ApplicationContextRunner two = onPool("two").withUserConfiguration(SecondPool.class);
    two.run(
        context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("'first'")
                .hasMessageContaining("'second'"));
    two.withPropertyValues("leasehold.bean=second")
        .run(context -> assertThat(context).hasSingleBean(LockClient.class));
    two.withPropertyValues("leasehold.bean=third")
        .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("third"));
    two.withPropertyValues("leasehold.url=jdbc:h2:mem:two")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("leasehold.create-tables"));
  }

  @Test
  void theClientOfTheApplicationReplacesAll() {
    Contexts.with()
        .withUserConfiguration(OwnClient.class)
        .run(
            context ->
                assertThat(context.getBean(LockClient.class).snapshot().store())
                    .contains("memory"));
  }

  @Test
  void theCodeOfThePageStarts() {
    onPool("page")
        .withBean(Accounts.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              Accounts accounts = context.getBean(Accounts.class);
              accounts.close(1, null);
              accounts.transfer(1, 2, 100);
              accounts.report();
              assertThat(accounts.export("one")).isEqualTo("exported one");
              assertThat(accounts.price("book")).isEqualTo(4);
            });
  }

  @Test
  void aMissingTraitStopsTheStart() {
    onPool("trait")
        .withPropertyValues("leasehold.require=survives-failover")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(io.leasehold.MissingTraitException.class));
  }

  @Test
  void locksAreReleasedBeforeThePoolCloses() throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    onPool("close")
        .withBean("spy", LockListener.class, () -> event -> note(order, event))
        .run(
            context -> {
              HikariDataSource pool = context.getBean(HikariDataSource.class);
              context.getBean(LockClient.class).lock("held").acquire();
              context.getSourceApplicationContext().close();
              assertThat(pool.isClosed()).isTrue();
            });
    assertThat(order).contains("lost");
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl("jdbc:h2:mem:close");
      pool.setUsername("sa");
      try (LockClient next = Leasehold.builder(JdbcStores.using(pool)).build()) {
        assertThat(next.lock("held").tryAcquire()).isPresent();
      }
    }
  }

  private static void note(List<String> order, LockEvent event) {
    if (event instanceof LockEvent.Lost) {
      order.add("lost");
    }
  }

  @Test
  void aRefreshedContextHasANewClient() throws InterruptedException {
    try (Refreshable context = new Refreshable()) {
      context.refresh();
      LockClient first = context.getBean(LockClient.class);
      first.lock("held").acquire();
      context.refresh();
      LockClient second = context.getBean(LockClient.class);
      assertThat(first.isClosed()).isTrue();
      assertThat(second.lock("held").tryAcquire()).isPresent();
      context.stop();
      assertThat(second.isClosed()).isFalse();
    }
  }

  @Test
  void theMetersAreBound() {
    Contexts.with(Line.here().metrics())
        .withUserConfiguration(OwnClient.class)
        .withBean(SimpleMeterRegistry.class)
        .run(
            context -> {
              try (Lease lease = context.getBean(LockClient.class).lock("x").acquire()) {
                assertThat(
                        context.getBean(MeterRegistry.class).get("leasehold.held").gauge().value())
                    .isEqualTo(1);
              }
            });
    Contexts.with()
        .withUserConfiguration(OwnClient.class)
        .run(context -> assertThat(context).doesNotHaveBean("leaseholdMetrics"));
  }

  @Test
  void theEndpointListsAndBreaks() {
    assertThat(LocksEndpoint.class.getAnnotation(Endpoint.class).defaultAccess())
        .isEqualTo(Access.READ_ONLY);
    Contexts.with()
        .withUserConfiguration(OwnClient.class)
        .run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
    Contexts.with()
        .withUserConfiguration(OwnClient.class)
        .withPropertyValues("management.endpoints.web.exposure.include=locks")
        .run(
            context -> {
              LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
              Lease lease = context.getBean(LockClient.class).lock("x").acquire();
              assertThat(endpoint.list().locks()).hasSize(1);
              String token = endpoint.one("x").holders().get(0).token();
              assertThat(token).isEqualTo(Long.toString(lease.fencingToken()));
              assertThat(endpoint.breakLease("x", "1")).isNull();
              assertThat(endpoint.breakLease("x", token)).isNotNull();
              assertThat(endpoint.one("x")).isNull();
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnClient {
    @Bean
    FaultyStore store() {
      return new FaultyStore(new InMemoryServer());
    }

    @Bean
    LockClient client(FaultyStore store) {
      return Leasehold.builder(store).requestTimeout(Duration.ofMillis(300)).build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class SecondPool {
    @Bean
    HikariDataSource first() {
      return pool("first");
    }

    @Bean
    HikariDataSource second() {
      return pool("second");
    }

    private static HikariDataSource pool(String name) {
      HikariDataSource pool = new HikariDataSource();
      pool.setJdbcUrl("jdbc:h2:mem:" + name);
      return pool;
    }
  }

  /** As an application of a servlet container makes it. */
  static final class Refreshable extends AbstractRefreshableApplicationContext {
    @Override
    protected void loadBeanDefinitions(DefaultListableBeanFactory beans) {
      getEnvironment()
          .getPropertySources()
          .addFirst(
              new MapPropertySource(
                  "test",
                  java.util.Map.of("leasehold.url", "jdbc:h2:mem:refreshed;DB_CLOSE_DELAY=-1")));
      new AnnotatedBeanDefinitionReader(beans, getEnvironment()).register(Starter.class);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @org.springframework.boot.autoconfigure.ImportAutoConfiguration(
      io.leasehold.spring.autoconfigure.LeaseholdAutoConfiguration.class)
  static class Starter {}
}
