package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockMode;
import io.leasehold.spring.Busy;
import io.leasehold.spring.InvalidAnnotationException;
import io.leasehold.spring.Locked;
import io.leasehold.spring.LockedAdvisor;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.InMemorySettings;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** What of {@link Locked} is an error at start-up. */
public abstract class RefusalsContract {
  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of(Wrong.Private.class, "private"),
        Arguments.of(Wrong.Final.class, "final"),
        Arguments.of(Wrong.Misspelled.class, "#idd"),
        Arguments.of(Wrong.Unparsable.class, "x:#{#id"),
        Arguments.of(Wrong.Empty.class, "empty"),
        Arguments.of(Wrong.Wait.class, "'10'"),
        Arguments.of(Wrong.Placeholder.class, "app.missing"),
        Arguments.of(Wrong.Primitive.class, "int"),
        Arguments.of(Wrong.FutureResult.class, "java.util.concurrent.Future"),
        Arguments.of(Wrong.StreamResult.class, "java.util.stream.Stream"),
        Arguments.of(Wrong.Suspended.class, "suspend function"),
        Arguments.of(Wrong.NoFallback.class, "instead"),
        Arguments.of(Wrong.OneLease.class, "MultiLease"),
        Arguments.of(Wrong.SharedSeveral.class, "exclusive"),
        Arguments.of(Wrong.Permits.class, "7/5"),
        Arguments.of(Wrong.Unfair.class, "FIFO"),
        Arguments.of(Wrong.Holds.class, "minHold"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void namesClassAndMethod(Class<?> wrong, String says) {
    contexts()
        .withBean("wrong", wrong)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .satisfies(
                        root ->
                            assertThat(invalid(context.getStartupFailure()))
                                .hasMessageContaining(wrong.getName() + ".work")
                                .hasMessageContaining(says)));
  }

  private static Throwable invalid(Throwable failure) {
    Throwable cause = failure;
    while (!(cause instanceof InvalidAnnotationException) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static ApplicationContextRunner contexts() {
    return Contexts.with().withUserConfiguration(Unfair.class);
  }

  @Test
  void aTransactionThatBeginsBeforeTheLockIsAnError() {
    Contexts.with(Line.here().jdbc())
        .withUserConfiguration(WrongOrder.class)
        .withPropertyValues(
            "spring.datasource.url=jdbc:h2:mem:order", "leasehold.create-tables=true")
        .withBean(Transacted.class)
        .run(
            context ->
                assertThat(invalid(context.getStartupFailure()))
                    .isInstanceOf(InvalidAnnotationException.class)
                    .hasMessageContaining("Transacted.work")
                    .hasMessageContaining("order"));
  }

  @Test
  void aTransactionInsideTheLockIsFine() {
    // Not equal to the transaction's: then chance would decide
    assertThat(LockedAdvisor.ORDER).isLessThan(Ordered.LOWEST_PRECEDENCE);
    Contexts.with(Line.here().jdbc())
        .withPropertyValues(
            "spring.datasource.url=jdbc:h2:mem:fine", "leasehold.create-tables=true")
        .withBean(Transacted.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void aBeanThatIsMadeBeforeProxiesAreIsAnError() {
    contexts()
        .withUserConfiguration(Early.class)
        .run(
            context ->
                assertThat(invalid(context.getStartupFailure()))
                    .isInstanceOf(InvalidAnnotationException.class)
                    .hasMessageContaining("no proxy"));
  }

  @Configuration(proxyBeanMethods = false)
  static class Unfair {
    @Bean
    LockClient client() {
      return Leasehold.builder(
              new InMemoryServer(
                  InMemorySettings.defaults().withFeatures(InMemorySettings.Feature.FENCING)))
          .build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement(order = 0)
  static class WrongOrder {}

  /** A method with a transaction. */
  static class Transacted {
    @Locked("work")
    @Transactional
    public void work() {}
  }

  @Configuration(proxyBeanMethods = false)
  static class Early {
    @Bean
    static Fine fine() {
      return new Fine();
    }

    @Bean
    static First needsIt(Fine fine) {
      return new First();
    }

    /** Before the one that makes proxies. */
    static final class First implements BeanPostProcessor, PriorityOrdered {
      @Override
      public int getOrder() {
        return HIGHEST_PRECEDENCE;
      }
    }
  }

  /** Right, but for how it is made. */
  static class Fine {
    @Locked("work")
    public void work() {}
  }

  /** The errors. */
  interface Wrong {
    class Private {
      @Locked("x")
      private void work() {}
    }

    class Final {
      @Locked("x")
      public final void work() {}
    }

    class Misspelled {
      @Locked("x:#{#idd}")
      public void work(long id) {}
    }

    class Unparsable {
      @Locked("x:#{#id")
      public void work(long id) {}
    }

    class Empty {
      @Locked("")
      public void work() {}
    }

    class Wait {
      @Locked(value = "x", maxWait = "10")
      public void work() {}
    }

    class Placeholder {
      @Locked(value = "x", maxWait = "${app.missing}")
      public void work() {}
    }

    class Primitive {
      @Locked(value = "x", busy = Busy.SKIP)
      public int work() {
        return 1;
      }
    }

    class FutureResult {
      @Locked("x")
      public Future<String> work() {
        throw new AssertionError("not called");
      }
    }

    class StreamResult {
      @Locked("x")
      public Stream<String> work() {
        return Stream.of();
      }
    }

    class Suspended {
      @Locked("x")
      public Object work(Continuation<? super String> rest) {
        throw new AssertionError("not called");
      }
    }

    class NoFallback {
      @Locked(value = "x", fallback = "instead")
      public String work(String text) {
        return text;
      }

      public int instead(String text) {
        return text.length();
      }
    }

    class OneLease {
      @Locked({"x", "y"})
      public void work(Lease lease) {}
    }

    class SharedSeveral {
      @Locked(
          value = {"x", "y"},
          mode = LockMode.SHARED)
      public void work() {}
    }

    class Permits {
      @Locked(value = "x", permits = "7/5")
      public void work() {}
    }

    class Unfair {
      @Locked(value = "x", fair = true)
      public void work() {}
    }

    class Holds {
      @Locked(value = "x", minHold = "2h", maxHold = "1h")
      public void work() {}
    }
  }
}
