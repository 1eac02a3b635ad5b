package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Poll;
import io.leasehold.spi.Traits.Signals;
import io.leasehold.testkit.InMemorySettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How often the store is asked about those who wait. */
@Timeout(90)
class PollTest {
  private static final int WAITERS = 50;

  @RegisterExtension final Engines engines = new Engines();

  private static int asked(FaultyStore.Factory factory) {
    return factory.ticketsRenewed();
  }

  @Test
  void shortWaitsDoNotMakeLongOnesAskMoreOften() throws Exception {
    Duration longest = Duration.ofMillis(400);
    engines.serve(
        InMemorySettings.defaults()
            .withPoll(new Poll(Duration.ofMillis(2), longest, Signals.NONE)));
    FaultyStore.Factory factory = new FaultyStore.Factory(engines.server());
    Engine holder = engines.client();
    Engine one = engines.client(factory, b -> b);
    List<Lease> held = new ArrayList<>();
    List<CompletableFuture<Lease>> waits = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      held.add(holder.lock("n" + i).acquire());
      waits.add(one.lock("n" + i).acquireAsync(Duration.ofMinutes(5)));
    }
    held.add(holder.lock("short").acquire());
    // A pause of the longest interval: nothing grows any more
    await().pollInterval(Duration.ofMillis(300)).until(() -> isRareNow(factory));
    int before = asked(factory);
    long begin = System.nanoTime();
    for (int i = 0; i < 40; i++) {
      assertThat(one.lock("short").tryAcquire(Duration.ofMillis(10))).isEmpty();
    }
    long longIntervals = (System.nanoTime() - begin) / longest.toNanos() + 1;
    // Each of the short ones may be asked about some ten times
    assertThat(asked(factory) - before)
        .isLessThan((int) (WAITERS * (3 * longIntervals + 1)) + 40 * 12);
    held.forEach(Lease::release);
    for (CompletableFuture<Lease> wait : waits) {
      start(wait::get).result().release();
    }
  }

  /** Whether a tenth of a second brings at most one question each. */
  private static boolean isRareNow(FaultyStore.Factory factory) {
    int before = asked(factory);
    await().pollDelay(Duration.ofMillis(100)).until(() -> true);
    return asked(factory) - before <= WAITERS;
  }
}
