package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.LockMode;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Watch;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * The lock comes free after a store has looked at its holder for a waiter, and before the waiter's
 * watch stands. Nothing else tells the waiter: the test is on the store, below the engine that asks
 * again.
 */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class WatchGapContract {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A watch that is wrong may end by itself later than that, and heal. */
  private static final Duration TOLD_WITHIN = Duration.ofSeconds(20);

  private static final Duration TTL = Duration.ofMinutes(10);

  private final String name = UUID.randomUUID().toString();
  private final AtomicLong ids = new AtomicLong();
  private final StoreProvider provider;

  /** For the stores of this provider. */
  protected WatchGapContract(StoreProvider provider) {
    this.provider = provider;
  }

  /** Before the server; the test closes it. */
  protected abstract FaultProxy proxy();

  /** The URL of the store over this port, or that of the server if it is 0. */
  protected abstract String url(int port);

  private LockStore open(int port, StoreListener listener) {
    return provider.factory(StoreUrl.parse(url(port))).open(listener);
  }

  private Ticket ticket() {
    LeaseId id = new LeaseId(UUID.randomUUID().getMostSignificantBits(), ids.incrementAndGet());
    return new Ticket(
        name, id, LockMode.EXCLUSIVE, 1, 1, TTL, Ticket.Intent.QUEUE, false, "holder");
  }

  private static <T> T join(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Test
  void whatComesFreeBeforeTheWatchStandsIsToldOrAskedForAgain() throws Exception {
    Woken woken = new Woken();
    try (FaultProxy proxy = proxy();
        LockStore holder = open(0, new Woken());
        LockStore waiter = open(proxy.port(), woken)) {
      Ticket held = ticket();
      assertThat(join(holder.attempt(held, PATIENCE))).isInstanceOf(Attempt.Granted.class);
      Ticket waiting = ticket();
      assertThat(join(waiter.attempt(waiting, PATIENCE))).isInstanceOf(Attempt.Queued.class);

      proxy.stall(Direction.TO_CLIENT);
      int before = proxy.replies();
      CompletionStage<Watch> watch = waiter.watch(waiting, PATIENCE);
      // The server has looked at the holder, who is still there
      await().atMost(PATIENCE).until(() -> proxy.replies() > before);
      assertThat(join(holder.release(held, PATIENCE))).isEqualTo(Release.RELEASED);
      proxy.heal();

      if (join(watch) == Watch.NOTHING_MISSED) {
        await().atMost(TOLD_WITHIN).until(() -> woken.ids.contains(waiting.id()));
      }
      assertThat(join(waiter.attempt(waiting, PATIENCE))).isInstanceOf(Attempt.Granted.class);
    }
  }

  /** What a store has woken. */
  private static final class Woken implements StoreListener {
    private final Queue<LeaseId> ids = new ConcurrentLinkedQueue<>();

    @Override
    public void wake(LeaseId id) {
      ids.add(id);
    }

    @Override
    public void reconnected() {}

    @Override
    public void lost(Collection<LeaseId> lost) {}
  }
}
