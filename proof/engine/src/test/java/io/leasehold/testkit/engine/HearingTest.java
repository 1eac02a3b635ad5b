package io.leasehold.testkit.engine;

import static io.leasehold.testkit.engine.Engines.start;
import static io.leasehold.testkit.engine.Engines.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Traits;
import io.leasehold.spi.Traits.Calls;
import io.leasehold.spi.Traits.Hearing;
import io.leasehold.testkit.engine.Engines.Running;
import io.leasehold.testkit.engine.HookedStore.Call;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A caller hears of its grant on its own thread, where the store lets it. */
@Timeout(60)
class HearingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @RegisterExtension final Engines engines = new Engines();

  private final BlockingQueue<Runnable> reports = new LinkedBlockingQueue<>();

  /** Whether a thread of the store makes the reports: since it was asked to watch. */
  private volatile boolean watched;

  private final AtomicInteger watches = new AtomicInteger();
  private final List<Thread> hearers = new CopyOnWriteArrayList<>();

  /** After which a caller that hears returns. */
  private volatile Duration silence = Duration.ofMillis(20);

  private volatile RuntimeException failure;
  private Engine one;
  private Lease held;

  @BeforeEach
  void open() throws Exception {
    engines.serve(Engines.GRANTS_BY_MESSAGE.withCalls(Calls.BLOCKING));
    one = engines.client(this::open, how -> how);
    held = engines.client().lock("n").acquire();
  }

  private LockStore open(StoreListener listener) {
    return HookedStore.wrap(engines.server().open(new Reports(listener)), this::on);
  }

  private Object on(Call call) throws Throwable {
    if (call.is("traits")) {
      return ((Traits) call.proceed()).with(Hearing.BY_CALLERS);
    }
    if (call.is("hear")) {
      return hear();
    }
    if (call.is("watch")) {
      watched = true;
      for (Runnable report = reports.poll(); report != null; report = reports.poll()) {
        report.run();
      }
      // Last: a test that saw it relies on reports that are made at once
      watches.incrementAndGet();
    }
    Object answer = call.proceed();
    return call.is("attempt") && !watched ? unwatched(answer) : answer;
  }

  private static Object unwatched(Object answer) {
    return ((CompletableFuture<?>) answer)
        .thenApply(
            each ->
                each instanceof Attempt.Queued queued
                    ? new Attempt.Queued(queued.place(), queued.holder())
                    : each);
  }

  private boolean hear() {
    hearers.add(Thread.currentThread());
    if (failure != null) {
      throw failure;
    }
    if (watched) {
      return false;
    }
    boolean interrupted = false;
    Runnable report = null;
    try {
      report = reports.poll(silence.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (report != null) {
      report.run();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return true;
  }

  /** Keeps what is reported until it is heard. */
  private final class Reports implements StoreListener {
    private final StoreListener listener;

    Reports(StoreListener listener) {
      this.listener = listener;
    }

    private void report(Runnable report) {
      if (watched) {
        report.run();
      } else {
        reports.add(report);
      }
    }

    @Override
    public void wake(LeaseId id) {
      report(() -> listener.wake(id));
    }

    @Override
    public void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
      report(() -> listener.granted(id, granted, age));
    }

    @Override
    public void reconnected() {
      listener.reconnected();
    }

    @Override
    public void lost(Collection<LeaseId> ids) {
      listener.lost(ids);
    }
  }

  private Running<Lease> waiter() {
    Running<Lease> waiter = start(() -> one.lock("n").acquire());
    await().atMost(PATIENCE).until(() -> hearers.contains(waiter.thread));
    return waiter;
  }

  @Test
  void aCallerHearsOfItsGrantItself() throws Exception {
    Running<Lease> waiter = waiter();
    held.release();
    waiter.result().release();
    assertThat(watches).hasValue(0);
    assertThat(hearers).containsOnly(waiter.thread);
  }

  @Test
  void aFairCallerHearsOfItsGrantItself() throws Exception {
    Running<Lease> waiter =
        start(() -> one.lock("n").with(LockOptions.defaults().fair()).acquire());
    await().atMost(PATIENCE).until(() -> hearers.contains(waiter.thread));
    held.release();
    waiter.result().release();
    assertThat(watches).hasValue(0);
  }

  @Test
  void aFutureDoesNotHear() throws Exception {
    CompletableFuture<Lease> future = one.lock("n").acquireAsync(PATIENCE);
    await().atMost(PATIENCE).until(() -> watches.get() == 1);
    held.release();
    assertThat(future).succeedsWithin(PATIENCE).satisfies(Lease::release);
    assertThat(hearers).isEmpty();
  }

  /** The lease may be handed to it at any time, without a word from the store. */
  @Test
  void aCallerDoesNotHearWhileItsProcessHasTheLock() throws Exception {
    held.release();
    Lease own = one.lock("n").acquire();
    Running<Lease> waiter = start(() -> one.lock("n").acquire()).waiting();
    own.release();
    waiter.result().release();
    assertThat(hearers).isEmpty();
  }

  @Test
  void theStoreWatchesForACallerThatMayNotHear() throws Exception {
    watched = true;
    Running<Lease> waiter = waiter();
    held.release();
    waiter.result().release();
    assertThat(hearers).hasSize(1);
  }

  @Test
  void aStoreThatThrowsIsWatched() throws Exception {
    failure = new IllegalStateException("planted");
    Running<Lease> waiter = waiter();
    await().atMost(PATIENCE).until(() -> watches.get() == 1);
    held.release();
    waiter.result().release();
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    silence = PATIENCE;
    Running<String> waiter = start(() -> thrownBy(() -> one.lock("n").acquire()));
    await().atMost(PATIENCE).until(() -> hearers.contains(waiter.thread));
    waiter.thread.interrupt();
    assertThat(waiter.result()).isEqualTo("InterruptedException");
    held.release();
  }

  /** The ticket goes on for it. */
  @Test
  void theNextIsWatchedForWhenACallerThatHeardGivesUp() throws Exception {
    Running<String> first = start(() -> thrownBy(() -> one.lock("n").acquire()));
    await().atMost(PATIENCE).until(() -> hearers.contains(first.thread));
    Running<Lease> next = start(() -> one.lock("n").acquire()).waiting();
    first.thread.interrupt();
    assertThat(first.result()).isEqualTo("InterruptedException");
    await().atMost(PATIENCE).until(() -> watches.get() == 1);
    held.release();
    next.result().release();
  }

  @Test
  void aDeadlineEndsTheWait() throws Exception {
    Running<Boolean> waiter =
        start(() -> one.lock("n").tryAcquire(Duration.ofSeconds(2)).isPresent());
    await().atMost(PATIENCE).until(() -> hearers.contains(waiter.thread));
    assertThat(waiter.result()).isFalse();
    held.release();
  }

  @Test
  void theEndOfTheClientEndsTheWait() throws Exception {
    Running<String> waiter = start(() -> thrownBy(() -> one.lock("n").acquire()));
    await().atMost(PATIENCE).until(() -> hearers.contains(waiter.thread));
    one.close();
    assertThat(waiter.result()).isEqualTo("ClientClosedException");
    held.release();
  }
}
