package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockException;
import io.leasehold.LockOptions;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.testkit.engine.Engines.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is logged, and that a slow logger delays no client. */
@Timeout(90)
class LogTest {
  private static final Logger LOG = Logger.getLogger("io.leasehold");
  private static final Duration SHORT = Duration.ofMillis(200);

  @RegisterExtension final Engines engines = new Engines();

  private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
  private final CountDownLatch go = new CountDownLatch(1);
  private volatile boolean blocks;

  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
          if (blocks) {
            try {
              go.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    LOG.setUseParentHandlers(false);
    LOG.addHandler(handler);
    LOG.setLevel(Level.ALL);
  }

  @AfterEach
  void stop() {
    go.countDown();
    LOG.setLevel(Level.OFF);
    LOG.removeHandler(handler);
    LOG.setUseParentHandlers(true);
  }

  private static Lease ofOneTtl(Engine client, String name) throws InterruptedException {
    return client.lock(name).with(LockOptions.defaults().withTtl(SHORT).withoutRenewal()).acquire();
  }

  @ParameterizedTest
  @EnumSource
  void aLoggerThatBlocksStopsNoTimerAndNoCallback(Calls calls) throws Exception {
    engines.serve(calls);
    Engine one = engines.client();
    Lease busy = engines.client().lock("busy").acquire();
    blocks = true;
    ofOneTtl(one, "first");
    await().atMost(Duration.ofSeconds(10)).until(() -> !lines.isEmpty());
    CountDownLatch told = new CountDownLatch(1);
    ofOneTtl(one, "second").onLost(told::countDown);
    assertThat(told.await(5, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(
            () -> one.lock("busy").acquireAsync(Duration.ofMillis(100)).get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LockException.class);
    busy.release();
  }

  /** What is said of a listener that is too slow. */
  @Test
  void aLoggerThatBlocksStopsNoLock() throws Exception {
    CountDownLatch listens = new CountDownLatch(1);
    Engine one =
        engines.client(
            b ->
                b.listener(
                    event -> {
                      try {
                        listens.await();
                      } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                      }
                    }));
    for (int i = 0; i < 5_100; i++) {
      one.lock("n").acquire().release();
    }
    blocks = true;
    listens.countDown();
    await().atMost(Duration.ofSeconds(10)).until(() -> !lines.isEmpty());
    assertThat(lines.peek()).contains("events were dropped");
    Running<Boolean> next =
        start(() -> one.lock("n").tryAcquire().map(LogTest::release).isPresent());
    await().atMost(Duration.ofSeconds(5)).until(next::isDone);
    assertThat(next.result()).isTrue();
  }

  private static Lease release(Lease lease) {
    lease.release();
    return lease;
  }

  /** Ten times as much as a listener may be behind with, and then a loss. */
  @Test
  void aFloodOfEventsHidesNoLoss() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<LockEvent> told = new CopyOnWriteArrayList<>();
    AtomicInteger all = new AtomicInteger();
    Engine one = engines.client(b -> b.ttl(Duration.ofSeconds(1)));
    one.addListener(
        event -> {
          awaitUninterruptibly(go);
          all.incrementAndGet();
          if (event instanceof LockEvent.Lost) {
            told.add(event);
          }
        });
    DistributedLock lock = one.lock("n");
    for (int i = 0; i < 6_000; i++) {
      lock.acquire().release();
    }
    Lease lease = one.lock("lost").acquire();
    engines.client().lock("lost").breakLease(lease.fencingToken());
    await().until(() -> !lease.isHeld());
    go.countDown();
    await().atMost(Duration.ofSeconds(20)).until(() -> told.size() == 1);
    assertThat(all.get()).as("the others are bounded").isLessThanOrEqualTo(10_002);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void lossesInMassesAreSummedUp() throws Exception {
    Engine one = engines.client();
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      leases.add(one.lock("n" + i).acquire());
    }
    one.close();
    assertThat(leases).noneMatch(Lease::isHeld);
    await()
        .untilAsserted(
            () -> assertThat(lines).last().asString().contains("more warnings like the last 100"));
    // A machine may need more than a second for all of them
    assertThat(lines)
        .hasSizeLessThan(1_000)
        .anyMatch(line -> line.contains("its client was closed"));
  }
}
