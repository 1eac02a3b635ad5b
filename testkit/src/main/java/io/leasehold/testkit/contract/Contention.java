package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockException;
import io.leasehold.internal.Engine;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Callers who take one lock and give it back, again and again, whatever happens meanwhile. */
final class Contention {
  private static final int CALLERS = 20;
  private static final int GRANTS = 20;

  private final Duration patience;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger granted = new AtomicInteger();
  private final AtomicLong last = new AtomicLong();
  private final Queue<String> broken = new ConcurrentLinkedQueue<>();

  /** How long it waits for what must come. */
  Contention(Duration patience) {
    this.patience = patience;
  }

  /** Lets these happen one after another, each once more has been granted. Ends the threads. */
  void during(ExecutorService threads, List<Engine> clients, List<Runnable> events)
      throws InterruptedException {
    try {
      for (int i = 0; i < CALLERS; i++) {
        Engine client = clients.get(i % clients.size());
        threads.execute(() -> contend(client));
      }
      for (Runnable each : events) {
        awaitGrants();
        each.run();
      }
      awaitGrants();
    } finally {
      ending.set(true);
      threads.shutdown();
    }
    assertThat(threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    assertThat(broken).isEmpty();
  }

  private void awaitGrants() {
    int before = granted.get();
    await().atMost(patience).until(() -> granted.get() > before + GRANTS);
  }

  private void contend(Engine client) {
    while (!ending.get()) {
      try (Lease lease = client.lock("a").acquire(patience)) {
        if (inside.incrementAndGet() > 1 && lease.isHeld()) {
          broken.add("two inside");
        }
        if (last.getAndSet(lease.fencingToken()) >= lease.fencingToken()) {
          broken.add("the token did not rise");
        }
        granted.incrementAndGet();
        inside.decrementAndGet();
      } catch (LockException e) {
        // The next round
      } catch (InterruptedException e) {
        return;
      }
    }
  }
}
