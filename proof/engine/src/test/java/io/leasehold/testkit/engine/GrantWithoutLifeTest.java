package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.Traits.Calls;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that answers at once, and grants leases of which nothing is left. */
@Timeout(60)
class GrantWithoutLifeTest {
  @RegisterExtension final Engines engines = new Engines();

  private final AtomicInteger granted = new AtomicInteger();
  private volatile boolean without = true;

  /** How it is asked for: in the line of its process, by a ticket of its own, permits. */
  enum Way {
    LINE,
    OWN,
    READER,
    PERMITS;

    DistributedLock lock(LockClient client) {
      return switch (this) {
        case LINE -> client.lock("n");
        case OWN -> client.lock("n").with(LockOptions.defaults().fair());
        case READER -> client.readWriteLock("n").readLock();
        case PERMITS -> client.semaphore("n", 2);
      };
    }
  }

  private Engine client() {
    engines.serve(Calls.NON_BLOCKING);
    return engines.client(
        HookedStore.over(
            engines.server(),
            call -> {
              Object answer = call.proceed();
              return call.is("attempt") && without
                  ? withoutLife((CompletionStage<?>) answer)
                  : answer;
            }),
        builder -> builder);
  }

  private CompletionStage<Attempt> withoutLife(CompletionStage<?> answer) {
    return CompletableFuture.completedFuture(
        answer.toCompletableFuture().join() instanceof Granted lease
            ? without(lease)
            : new Attempt.Busy(Duration.ZERO, ""));
  }

  private Granted without(Granted lease) {
    granted.incrementAndGet();
    return new Granted(lease.number(), Duration.ZERO, lease.wanted());
  }

  @ParameterizedTest
  @EnumSource
  void isAskedAgainWithGrowingPauses(Way way) throws Exception {
    Engine client = client();
    long begin = System.nanoTime();
    CompletableFuture<Lease> wait = way.lock(client).acquireAsync(Duration.ofMinutes(1));

    await().until(() -> granted.get() >= 4);
    // 50, 100, 200 ms
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(300));
    without = false;

    wait.get().release();
    await().until(() -> client.ledger().isZero());
  }

  @ParameterizedTest
  @EnumSource
  void tellsWhyTheCallerGotNothing(Way way) throws Exception {
    Engine client = client();

    assertThatThrownBy(() -> way.lock(client).acquire(Duration.ofSeconds(2)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("use a longer ttl");
    assertThatThrownBy(() -> way.lock(client).tryAcquire())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("use a longer ttl");

    await().until(() -> client.ledger().isZero());
    assertThat(granted.get()).isBetween(2, 12);
  }
}
