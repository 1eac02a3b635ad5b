package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.internal.EngineConfig;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.engine.Engines.Running;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R9, R12 and R16: an error costs the call in which it came, and no later one. */
@Timeout(60)
class ErrorsTest {
  @RegisterExtension final Engines engines = new Engines();

  /** The verb that throws an error, once. */
  private final AtomicReference<String> bad = new AtomicReference<>("");

  private Engine client(Calls calls) {
    engines.serve(calls);
    return engines.client(
        HookedStore.over(
            engines.server(),
            call -> {
              if (bad.compareAndSet(call.verb(), "")) {
                throw new LinkageError("the test threw it");
              }
              return call.proceed();
            }),
        b -> b);
  }

  @ParameterizedTest
  @EnumSource
  void anErrorInAnAttemptCostsItsCallerOnly(Calls calls) throws Exception {
    Engine one = client(calls);
    for (int i = 0; i < 2; i++) {
      // The second attempt is the repeat of the first
      bad.set("attempt");
      one.lock("n").acquire(Duration.ofSeconds(10)).release();
      bad.set("attempt");
      one.lock("n").tryAcquire().orElseThrow().release();
      bad.set("attempt");
      one.lock("n").acquireAsync(Duration.ofSeconds(10)).thenAccept(Lease::release).join();
    }
    one.lock("n").tryAcquire().orElseThrow().release();
  }

  @ParameterizedTest
  @EnumSource
  void anErrorInAReleaseIsAnUnknownOutcome(Calls calls) throws Exception {
    Engine one = client(calls);
    for (int i = 0; i < 2; i++) {
      Lease lease = one.lock("n").acquire(Duration.ofSeconds(10));
      bad.set("release");
      lease.release();
    }
    one.lock("n").tryAcquire().orElseThrow().release();
  }

  @ParameterizedTest
  @EnumSource
  void anErrorInAWatchAPollOrAWithdrawalStopsNobody(Calls calls) throws Exception {
    Engine one = client(calls);
    Engine two = engines.client();
    for (String verb : List.of("watch", "renew", "withdraw")) {
      Lease held = two.lock("n").acquire(Duration.ofSeconds(10));
      bad.set(verb);
      assertThat(thrownBy(() -> one.lock("n").tryAcquire(Duration.ofMillis(400)))).isIn("");
      bad.set("");
      Running<Lease> waiter = Engines.start(() -> one.lock("n").acquire(Duration.ofSeconds(10)));
      waiter.waiting();
      held.release();
      waiter.result().release();
    }
  }

  /** What is a callback waits for a thread in the scheduler itself, and fails nothing. */
  @ParameterizedTest
  @EnumSource
  void aThreadThatCannotStartWedgesNoName(Calls calls) throws Exception {
    engines.serve(calls);
    AtomicReference<String> without = new AtomicReference<>("");
    ConcurrentLinkedQueue<LockEvent> told = new ConcurrentLinkedQueue<>();
    try (Engine one = engine(schedulerThatFails(without), told)) {
      without.set("request");
      String sync = thrownBy(() -> release(one.lock("n").acquire(Duration.ofSeconds(10))));
      assertThat(sync).isIn("", "StoreException");
      without.set("request");
      String async =
          thrownBy(
              () ->
                  release(
                      one.lock("n")
                          .acquireAsync(Duration.ZERO)
                          .completeOnTimeout(null, 2, java.util.concurrent.TimeUnit.SECONDS)
                          .join()));
      assertThat(async).isNotNull();
      without.set("");
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> one.lock("n").tryAcquire().orElseThrow().release());
      await().until(() -> told.stream().anyMatch(e -> e instanceof LockEvent.Released));
      await().until(() -> one.ledger().isZero());
    }
  }

  private static String release(Lease lease) {
    if (lease != null) {
      lease.release();
    }
    return "";
  }

  private Engine engine(Scheduler scheduler, ConcurrentLinkedQueue<LockEvent> told) {
    EngineConfig config =
        new EngineConfig(
            Optional.of(Engines.LONG_TTL),
            Engines.LONG_TTL,
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            Duration.ofMillis(2),
            () -> null,
            Set.of(),
            List.of(told::add));
    return new Engine(
        engines.server(), config, new SystemClock(), scheduler, new SecureRandom()::nextLong);
  }

  /** Threads one of whose tasks does not find a thread. */
  private static Scheduler schedulerThatFails(AtomicReference<String> without) {
    Threads threads = new Threads();
    return Engines.scheduler(
        (proxy, method, arguments) -> {
          if (method.getName().equals("background")) {
            // It makes a request
            return InvocationHandler.invokeDefault(proxy, method, arguments);
          }
          if (without.compareAndSet(method.getName(), "")) {
            throw new OutOfMemoryError("unable to create native thread (the test's)");
          }
          try {
            return method.invoke(threads, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  /** The caller that is interrupted while it asks leaves nothing either. */
  @Test
  void anErrorThatStaysIsTold() {
    engines.serve(Calls.BLOCKING);
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  if (call.is("attempt")) {
                    throw new LinkageError("the test threw it");
                  }
                  return call.proceed();
                }),
            b -> b);
    assertThatThrownBy(() -> one.lock("n").tryAcquire())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the test threw it")
        .hasRootCauseInstanceOf(LinkageError.class);
    assertThatThrownBy(() -> one.lock("n").acquire(Duration.ofSeconds(10)))
        .isInstanceOf(StoreException.class);
  }
}
