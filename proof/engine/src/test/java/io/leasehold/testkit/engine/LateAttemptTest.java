package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * R9: a thread that is about to send an attempt is stopped there, and goes on after the caller gave
 * up and the store said that the withdrawal was final for what had been sent.
 */
@Timeout(60)
class LateAttemptTest {
  @RegisterExtension final Engines engines = new Engines();

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final CountDownLatch withdrawn = new CountDownLatch(1);

  @Test
  void anAttemptSentAfterItsWithdrawalLeavesNothing() throws Exception {
    engines.serve(
        InMemorySettings.defaults().withFeatures(Feature.FENCING).withCalls(Calls.BLOCKING));
    Engine client =
        engines.client(listener -> stopping(engines.server().open(listener)), builder -> builder);
    CompletableFuture<Lease> wait = client.lock("n").acquireAsync(Duration.ofMinutes(1));
    reached.await();
    wait.cancel(true);
    withdrawn.await();
    await().until(() -> client.ledger().limbo() == 0);

    goOn.countDown();

    await().until(() -> client.ledger().isZero());
    Engine other = engines.client();
    await().atMost(Duration.ofSeconds(10)).until(() -> engines.server().list().isEmpty());
    Lease next = other.lock("n").tryAcquire().orElseThrow();
    assertThat(next.isHeld()).isTrue();
    next.release();
  }

  /**
   * The first attempt lands after the release of what the second was granted, and is answered
   * before that is.
   */
  @Test
  void aReleaseTakesBackWhatLandsLateMeanwhile() throws Exception {
    engines.serve(Calls.NON_BLOCKING);
    AtomicReference<HookedStore.Call> first = new AtomicReference<>();
    CompletableFuture<Object> late = new CompletableFuture<>();
    AtomicInteger releases = new AtomicInteger();
    Engine client =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  if (call.is("attempt") && first.compareAndSet(null, call)) {
                    return late;
                  }
                  Object answer = call.proceed();
                  if (call.is("release") && releases.incrementAndGet() == 1) {
                    late.complete(
                        ((CompletionStage<?>) first.get().proceed()).toCompletableFuture().join());
                  }
                  return answer;
                }),
            builder -> builder.ttl(Duration.ofSeconds(1)));
    Lease lease = client.lock("n").acquire(Duration.ofSeconds(20));

    lease.release();

    assertThat(engines.server().list()).isEmpty();
    assertThat(late).isDone();
    assertThat(releases).hasValue(2);
  }

  /** Final for what was sent: as a store that knows which of its own attempts are under way. */
  private LockStore stopping(LockStore store) {
    return (LockStore)
        Proxy.newProxyInstance(
            LockStore.class.getClassLoader(),
            new Class<?>[] {LockStore.class},
            (proxy, verb, arguments) -> {
              if (verb.getName().equals("attempt")) {
                reached.countDown();
                goOn.await();
              }
              Object answer = call(store, verb, arguments);
              if (verb.getName().equals("withdraw")) {
                withdrawn.countDown();
                return CompletableFuture.completedFuture(true);
              }
              return answer;
            });
  }

  private static Object call(LockStore store, Method verb, Object[] arguments) throws Throwable {
    try {
      return verb.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
