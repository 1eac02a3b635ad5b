package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.FaultyStore.Mood;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code LockOptions.withMinHold}: others are kept out for a while, no matter which holder has
 * released it.
 */
@Timeout(90)
class MinHoldTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @RegisterExtension final Engines engines = new Engines();

  private static LockOptions keptFor(Duration minHold) {
    return LockOptions.defaults().withTtl(Duration.ofSeconds(1)).withMinHold(minHold);
  }

  /** The release returns at once, and the lock comes free when the time is over. */
  @ParameterizedTest
  @EnumSource
  void othersAreKeptOutUntilItIsOver(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    DistributedLock lock = one.lock("n").with(keptFor(Duration.ofSeconds(4)));
    long begin = System.nanoTime();
    Lease lease = lock.acquire();
    assertThat(Engines.timed(() -> released(lease))).isLessThan(Duration.ofSeconds(3));
    assertThat(lease.isHeld()).isFalse();
    await().until(() -> engines.events(LockEvent.Released.class).size() == 1);
    assertThat(lock.tryAcquire()).as("in this process").isEmpty();
    assertThat(engines.client().lock("n").tryAcquire()).as("in another").isEmpty();
    Running<Lease> local = Engines.start(() -> one.lock("n").acquire(LONG));
    local.result().release();
    assertThat(System.nanoTime() - begin).isGreaterThan(Duration.ofMillis(3900).toNanos());
    await().until(() -> engines.events(LockEvent.Released.class).size() == 2);
    assertThat(engines.events(LockEvent.Lost.class)).isEmpty();
  }

  private static boolean released(Lease lease) {
    lease.release();
    return true;
  }

  /** The store keeps it, also longer than the ttl. */
  @Test
  void itOutlivesTheClient() throws Exception {
    engines.mayLeaveSomething();
    Engine one = engines.client();
    Lease lease = one.lock("n").with(keptFor(Duration.ofSeconds(12))).acquire();
    lease.release();
    assertThat(Engines.timed(() -> closed(one))).isLessThan(Duration.ofSeconds(8));
    assertThat(engines.server().list()).hasSize(1);
    assertThat(engines.server().list().get(0).holders().get(0).remaining())
        .isGreaterThan(Duration.ofSeconds(2));
    assertThat(engines.client().lock("n").tryAcquire()).isEmpty();
  }

  private static boolean closed(Engine engine) {
    engine.close();
    return true;
  }

  @Test
  void aClientThatWaitsForItsHoldersDoesNotWaitForIt() throws Exception {
    engines.mayLeaveSomething();
    Engine one = engines.client(b -> b.closeWaitsForHolders().closeTimeout(Duration.ofSeconds(20)));
    one.lock("n").with(keptFor(Duration.ofSeconds(30))).acquire().release();
    assertThat(Engines.timed(() -> closed(one))).isLessThan(Duration.ofSeconds(10));
  }

  /** It was held for long enough: nothing is asked but the release. */
  @ParameterizedTest
  @EnumSource
  void onceItIsOverAReleaseIsARelease(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b);
    Lease lease =
        one.lock("n").with(LockOptions.defaults().withMinHold(Duration.ofMillis(100))).acquire();
    await().pollDelay(Duration.ofMillis(150)).until(lease::isHeld);
    lease.release();
    assertThat(factory.count("release")).isEqualTo(1);
    assertThat(factory.count("renew")).isZero();
    assertThat(engines.client().lock("n").tryAcquire()).isPresent().get().satisfies(Lease::release);
  }

  /** Where the ttl covers the time, the release asks the store nothing before its end. */
  @Test
  void aTtlThatIsLongerNeedsNoRequest() throws Exception {
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b);
    Lease lease =
        one.lock("n").with(LockOptions.defaults().withMinHold(Duration.ofSeconds(1))).acquire();
    lease.release();
    assertThat(factory.count()).as("requests").isEqualTo(1);
    await().until(() -> factory.count("release") == 1);
    await().until(() -> one.ledger().isZero());
  }

  @ParameterizedTest
  @EnumSource
  void aLostAnswerIsAskedForAgainAndThenTold(Calls calls) throws Exception {
    engines.serve(calls);
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine one = engines.client(factory, b -> b.requestTimeout(Duration.ofSeconds(1)));
    DistributedLock lock = one.lock("n").with(keptFor(Duration.ofSeconds(4)).withoutRenewal());
    Lease lease = lock.acquire();
    factory.become(Mood.REPLIES_LOST, "renew");
    assertThatThrownBy(lease::release)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("min hold");
    assertThat(factory.count("renew")).isEqualTo(2);
    factory.become(Mood.NORMAL);
    assertThat(engines.client().lock("n").tryAcquire()).isEmpty();
    await().atMost(Duration.ofSeconds(20)).until(() -> one.ledger().isZero());
  }

  /** Given to a lease that is held: it counts from then on, and replaces the one before. */
  @Test
  void itCanBeGivenLater() throws Exception {
    engines.mayLeaveSomething();
    DistributedLock lock = engines.client().lock("n");
    Lease lease = lock.acquire();
    lease.changeHold(keptFor(LONG));
    lease.changeHold(LockOptions.defaults());
    lease.release();
    Lease second = lock.tryAcquire().orElseThrow();
    assertThatThrownBy(() -> second.changeHold(keptFor(Duration.ofDays(400))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("minHold is");
    second.changeHold(keptFor(LONG));
    second.release();
    assertThat(engines.client().lock("n").tryAcquire()).isEmpty();
    assertThat(engines.server().list().get(0).holders().get(0).remaining())
        .isGreaterThan(Duration.ofSeconds(31));
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() {
    LockOptions options = LockOptions.defaults().withMaxHold(Duration.ofSeconds(1));
    assertThatThrownBy(() -> options.withMinHold(Duration.ofSeconds(2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("minHold");
    assertThatThrownBy(() -> engines.client().lock("n").with(keptFor(Duration.ofDays(400))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("minHold is");
  }
}
