package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.Traits.Poll;
import io.leasehold.spi.Traits.Signals;
import io.leasehold.testkit.InMemorySettings;
import io.leasehold.testkit.engine.Engines.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R11, R12 and R16: requests for one name that hang cost no other name anything. */
@Timeout(60)
class HangingNamesTest {
  private static final Duration REQUEST = Duration.ofSeconds(20);
  private static final int MANY = 40;

  @RegisterExtension final Engines engines = new Engines();

  private final CountDownLatch letGo = new CountDownLatch(1);
  private final Set<String> hanging = ConcurrentHashMap.newKeySet();

  @AfterEach
  void letGo() {
    letGo.countDown();
  }

  /** What is asked of a name that begins with "bad" hangs, if that verb does. */
  private Engine client(Duration requestTimeout) {
    engines.serve(
        InMemorySettings.defaults()
            .withCalls(Calls.BLOCKING)
            .withPoll(new Poll(Duration.ofMillis(5), Duration.ofMillis(100), Signals.NONE)));
    return engines.client(
        HookedStore.over(
            engines.server(),
            call ->
                hanging.contains(call.verb()) && call.name().startsWith("bad")
                    ? call.hang(letGo)
                    : call.proceed()),
        b -> b.requestTimeout(requestTimeout));
  }

  private List<CompletableFuture<Lease>> hangingAttempts(Engine one) {
    hanging.add("attempt");
    List<CompletableFuture<Lease>> waits = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      waits.add(one.lock("bad" + i).acquireAsync(Duration.ofMinutes(5)));
    }
    return waits;
  }

  @Test
  void asynchronousAttemptsThatHangDelayNoPoll() throws Exception {
    Engine one = client(REQUEST);
    Lease held = engines.client().lock("good").acquire();
    Running<Lease> waiter = start(() -> one.lock("good").acquire()).waiting();
    List<CompletableFuture<Lease>> waits = hangingAttempts(one);
    held.release();
    waiter.result().release();
    waits.forEach(wait -> wait.cancel(true));
    letGo.countDown();
  }

  @Test
  void withdrawalsThatHangDelayNoPollAndNoAsynchronousCaller() throws Exception {
    Engine one = client(REQUEST);
    Engine two = engines.client();
    hanging.add("withdraw");
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      leases.add(two.lock("bad" + i).acquire());
      assertThat(one.lock("bad" + i).tryAcquire(Duration.ofMillis(200))).isEmpty();
    }
    Lease held = two.lock("good").acquire();
    Running<Lease> waiter = start(() -> one.lock("good").acquire()).waiting();
    held.release();
    waiter.result().release();
    one.lock("other").acquireAsync(Duration.ofSeconds(10)).get(10, TimeUnit.SECONDS).release();
    leases.forEach(Lease::release);
    hanging.clear();
    letGo.countDown();
  }

  /** It does not even keep to the time it was given. */
  @Test
  void renewalsThatHangLoseNoOtherLease() throws Exception {
    AtomicInteger hung = new AtomicInteger();
    engines.serve(Calls.BLOCKING);
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  if (call.is("renew") && call.name().startsWith("bad")) {
                    hung.incrementAndGet();
                    letGo.await();
                  }
                  return call.proceed();
                }),
            b -> b);
    LockOptions brief = LockOptions.defaults().withTtl(Duration.ofMillis(1_500));
    Lease bad = one.lock("bad").with(brief).acquire();
    await().until(() -> hung.get() >= 2);
    Lease good = one.lock("good").with(brief.withTtl(Duration.ofSeconds(3))).acquire();
    await().until(() -> renewed(good) > 0 || !good.isHeld());
    assertThat(good.isHeld()).isTrue();
    good.release();
    // Before its renewals go on, which may be in time
    await().until(() -> !bad.isHeld());
    letGo.countDown();
  }

  private long renewed(Lease lease) {
    return engines.events(LockEvent.Renewed.class).stream()
        .filter(e -> e.leaseId().equals(lease.leaseId()))
        .count();
  }

  /** However many there are: each waits for its answer, and not for those before it. */
  @Test
  void asynchronousCallersFailFastThoughManyHang() throws Exception {
    Engine one = client(Duration.ofMillis(700));
    long begin = System.nanoTime();
    for (CompletableFuture<Lease> wait : hangingAttempts(one)) {
      assertThat(wait.handle((lease, failed) -> cause(failed)).get(10, TimeUnit.SECONDS))
          .isInstanceOf(StoreException.class);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(4));
    letGo.countDown();
  }

  private static Throwable cause(Throwable failed) {
    return failed instanceof CompletionException ? failed.getCause() : failed;
  }
}
