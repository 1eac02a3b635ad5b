package io.leasehold.spring.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.servlet.IdempotencyFilter;
import io.leasehold.spring.IdempotencyFilterCustomizer;
import io.leasehold.spring.autoconfigure.IdempotencyFilterAutoConfiguration;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** The HTTP filter, as the starter configures it. */
public abstract class IdempotencyFilterContract {
  private static WebApplicationContextRunner contexts() {
    return new WebApplicationContextRunner()
        .withConfiguration(Contexts.leasehold())
        .withUserConfiguration(IdempotentContract.InMemory.class);
  }

  @Test
  void aRequestWithAKeyIsProcessedOnce() {
    contexts()
        .withPropertyValues(
            "leasehold.idempotency.paths[0]=/payments/*", "leasehold.idempotency.require-key=true")
        .withBean(IdempotencyFilterCustomizer.class, () -> builder -> builder.principal(r -> ""))
        .run(
            context -> {
              FilterRegistrationBean<?> filter = context.getBean(FilterRegistrationBean.class);
              assertThat(filter.getUrlPatterns()).containsExactly("/payments/*");
              assertThat(filter.getOrder()).isEqualTo(IdempotencyFilterAutoConfiguration.ORDER);
              AtomicInteger runs = new AtomicInteger();
              assertThat(send(filter, runs, "one").getContentAsString()).isEqualTo("paid 1");
              MockHttpServletResponse again = send(filter, runs, "one");
              assertThat(again.getContentAsString()).isEqualTo("paid 1");
              assertThat(again.getHeader("Idempotency-Replayed")).isEqualTo("true");
              assertThat(send(filter, runs, null).getStatus()).isEqualTo(400);
              assertThat(runs).hasValue(1);
            });
  }

  @Test
  void aTwinIsToldToComeBackWhileTheFirstRuns() {
    contexts()
        .withPropertyValues("leasehold.idempotency.paths[0]=/payments/*")
        .withBean(IdempotencyFilterCustomizer.class, () -> builder -> builder.principal(r -> ""))
        .run(
            context -> {
              FilterRegistrationBean<?> filter = context.getBean(FilterRegistrationBean.class);
              AtomicInteger runs = new AtomicInteger();
              AtomicReference<MockHttpServletResponse> twin = new AtomicReference<>();
              // The twin comes while the first is at work
              FilterChain meanwhile =
                  (r, s) -> {
                    runs.incrementAndGet();
                    twin.set(send(filter, runs, "one"));
                    s.getWriter().write("paid");
                  };
              assertThat(send(filter, meanwhile, "one").getContentAsString()).isEqualTo("paid");
              assertThat(twin.get().getStatus()).isEqualTo(409);
              assertThat(send(filter, runs, "one").getContentAsString()).isEqualTo("paid");
              assertThat(runs).hasValue(1);
            });
  }

  private static MockHttpServletResponse send(
      FilterRegistrationBean<?> filter, AtomicInteger runs, String key)
      throws IOException, ServletException {
    return send(filter, (r, s) -> s.getWriter().write("paid " + runs.incrementAndGet()), key);
  }

  private static MockHttpServletResponse send(
      FilterRegistrationBean<?> filter, FilterChain pays, String key)
      throws IOException, ServletException {
    MockHttpServletRequest request = new MockHttpServletRequest("POST", "/payments/7");
    if (key != null) {
      request.addHeader("Idempotency-Key", key);
    }
    MockHttpServletResponse response = new MockHttpServletResponse();
    filter.getFilter().doFilter(request, response, pays);
    return response;
  }

  @Test
  void withoutPathsThereIsNoFilterAndNoStoreIsOpened() {
    new WebApplicationContextRunner()
        .withConfiguration(Contexts.leasehold())
        .withPropertyValues("leasehold.url=jdbc:h2:mem:none")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(FilterRegistrationBean.class);
              assertThat(context.getBeanFactory().containsSingleton("leaseholdIdempotency"))
                  .isFalse();
              assertThat(context).hasSingleBean(Idempotency.class);
            });
  }

  @Test
  void pathsWithoutTheModuleStopTheStart() {
    contexts()
        .withPropertyValues("leasehold.idempotency.paths=/payments/*")
        .withClassLoader(
            new org.springframework.boot.test.context.FilteredClassLoader(IdempotencyFilter.class))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("leasehold.idempotency.paths"));
  }
}
