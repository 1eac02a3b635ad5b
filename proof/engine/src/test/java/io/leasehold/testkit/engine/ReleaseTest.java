package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** R8, R12 and R16: how a release is asked for, how often and for how long. */
@Timeout(60)
class ReleaseTest {
  @RegisterExtension final Engines engines = new Engines();

  private final AtomicInteger failing = new AtomicInteger();
  private final AtomicInteger releases = new AtomicInteger();

  /** So many releases fail; they are done all the same, or not. */
  private Engine client(Calls calls, boolean done) {
    engines.serve(calls);
    return engines.client(
        HookedStore.over(
            engines.server(),
            call -> {
              if (!call.is("release")) {
                return call.proceed();
              }
              releases.incrementAndGet();
              if (failing.getAndDecrement() <= 0) {
                return call.proceed();
              }
              if (done) {
                Object unused = call.proceed();
              }
              return call.fail(Failure.UNKNOWN_OUTCOME);
            }),
        b -> b);
  }

  @ParameterizedTest
  @EnumSource
  void aReleaseWithoutAnswerIsAskedForAgain(Calls calls) throws Exception {
    Engine one = client(calls, false);
    Lease lease = one.lock("n").acquire();
    failing.set(1);
    lease.release();
    assertThat(releases).hasValue(2);
    await().until(() -> !engines.events(LockEvent.Released.class).isEmpty());
    engines.client().lock("n").tryAcquire().orElseThrow().release();
  }

  /** It was done, or the lease was lost before: who can tell. */
  @ParameterizedTest
  @EnumSource
  void aRepeatThatFindsNothingHeldIsAnUnknownOutcome(Calls calls) throws Exception {
    Engine one = client(calls, true);
    Lease lease = one.lock("n").acquire();
    failing.set(1);
    assertThatThrownBy(lease::release).isInstanceOf(StoreException.class);
    assertThat(releases).hasValue(2);
    assertThat(engines.events(LockEvent.Lost.class)).isEmpty();
    engines.client().lock("n").tryAcquire().orElseThrow().release();
  }

  @Test
  void aReleaseThatStaysWithoutAnswerIsAnUnknownOutcome() throws Exception {
    Engine one = client(Calls.BLOCKING, false);
    Lease lease = one.lock("n").acquire();
    failing.set(2);
    assertThatThrownBy(lease::release).isInstanceOf(StoreException.class);
    await().until(() -> !engines.events(LockEvent.UnknownOutcome.class).isEmpty());
  }

  /** What the work made is worth more than the news that the lock may stay for a ttl. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void aResultIsReturnedThoughTheReleaseIsNotKnown(int failures) throws Exception {
    Engine one = client(Calls.BLOCKING, false);
    AtomicInteger ran = new AtomicInteger();
    failing.set(failures);
    assertThat(one.lock("n").<String, RuntimeException>callWithLock(lease -> "made"))
        .isEqualTo("made");
    failing.set(failures);
    one.lock("m").withLock(Duration.ofSeconds(5), lease -> ran.incrementAndGet());
    assertThat(ran).hasValue(1);
    failing.set(0);
    if (failures > 1) {
      await().until(() -> engines.events(LockEvent.UnknownOutcome.class).size() >= 2);
    }
  }

  /** What the work threw stays what is thrown. */
  @Test
  void whatTheWorkThrewGoesBeforeWhatTheReleaseThrows() {
    Engine one = client(Calls.BLOCKING, false);
    failing.set(5);
    assertThat(
            thrownBy(
                () ->
                    one.lock("n")
                        .callWithLock(
                            lease -> {
                              throw new java.io.IOException("the work's");
                            })))
        .isEqualTo("IOException");
    failing.set(0);
  }

  /** The question whether another waits, and the release after it. */
  @Test
  void aReleaseTakesOneRequestTimeoutInAll() throws Exception {
    Duration request = Duration.ofMillis(600);
    engines.serve(Calls.BLOCKING);
    Map<String, Duration> within = new ConcurrentHashMap<>();
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch silent = new CountDownLatch(1);
    Engine one =
        engines.client(
            HookedStore.over(
                engines.server(),
                call -> {
                  boolean leaving = call.is("renew") || call.is("release");
                  if (leaving && silent.getCount() == 0 && within.size() < 2) {
                    within.putIfAbsent(call.verb(), call.within());
                    return call.hang(never);
                  }
                  return call.proceed();
                }),
            b -> b.requestTimeout(request));
    Lease lease = one.lock("n").acquire();
    long granted = System.nanoTime();
    Running<Lease> next = start(() -> one.lock("n").acquire()).waiting();
    // The word that no other client waits is too old then
    await().until(() -> System.nanoTime() - granted > 60_000_000);
    silent.countDown();
    assertThat(thrownBy(() -> released(lease))).isIn("", "StoreException");
    next.result().release();
    assertThat(within).containsKeys("renew", "release");
    assertThat(within.get("renew").plus(within.get("release"))).isLessThanOrEqualTo(request);
    never.countDown();
  }

  private static String released(Lease lease) {
    lease.release();
    return "";
  }
}
