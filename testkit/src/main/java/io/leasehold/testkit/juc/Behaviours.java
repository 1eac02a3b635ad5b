package io.leasehold.testkit.juc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedSemaphore;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockKindException;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** What the tests share: two clients of the store, other threads, and the end of each test. */
@Timeout(90)
abstract class Behaviours {
  static final String NAME = "juc";

  /** The limit of every wait that is to end before. */
  static final Duration LONG = Duration.ofSeconds(30);

  /** A wait that is to end by itself. */
  static final Duration SHORT = Duration.ofMillis(300);

  final JucFixture fixture;
  private final SystemClock clock = new SystemClock();
  private final List<Engine> clients = new ArrayList<>();
  private Engine mine;
  private Engine other;

  Behaviours(JucFixture fixture) {
    this.fixture = fixture;
  }

  @BeforeEach
  void connect() {
    mine = client();
    other = client();
  }

  // ---- clients and locks

  private Engine client() {
    // Far longer than any test: what is left is not healed by a ttl.
    Engine client = (Engine) fixture.builder().ttl(Duration.ofMinutes(10)).build();
    clients.add(client);
    return client;
  }

  /** The client whose thread the test runs on. */
  LockClient mine() {
    return mine;
  }

  LockClient of(Rival rival) {
    return rival == Rival.SAME_CLIENT ? mine : other;
  }

  boolean isFair() {
    return fixture.options().equals(fixture.options().fair());
  }

  Lock lock(LockClient client) {
    return client.lock(NAME).with(fixture.options()).asLock();
  }

  ReadWriteLock readWriteLock(LockClient client) {
    return client.readWriteLock(NAME).with(fixture.options()).asReadWriteLock();
  }

  DistributedSemaphore semaphore(LockClient client, int size) {
    return client.semaphore(NAME, size).with(fixture.options());
  }

  // ---- other threads

  static <T> Running<T> start(Callable<T> work) {
    return new Running<>(work);
  }

  /** Does it on another thread, to the end. */
  static <T> T elsewhere(Callable<T> work) throws Exception {
    return start(work).result();
  }

  /** Starts work that waits for a lock, and returns when it is queued and parked. */
  static <T> Running<T> startWaiting(Callable<T> work) {
    Running<T> running = start(work);
    soon("it waits").until(() -> isParkedForALock(running.thread) || running.isDone());
    assertThat(running.isDone()).as("is done instead of waiting").isFalse();
    return running;
  }

  /**
   * A thread parks for our locks after it is queued for one; before that perhaps for the mutex of a
   * name, which is the JDK's synchronizer.
   */
  private static boolean isParkedForALock(Thread thread) {
    Object blocker = LockSupport.getBlocker(thread);
    return blocker != null
        && blocker.getClass().getPackage().equals(Engine.class.getPackage())
        && !(blocker instanceof AbstractQueuedSynchronizer);
  }

  /** How many callers wait in this client. */
  static int waiters(LockClient client) {
    return ((Engine) client).ledger().waiters();
  }

  /** As it is for another thread, which gives the lock back at once. */
  static boolean isFree(Lock lock) throws Exception {
    return elsewhere(
        () -> {
          boolean taken = lock.tryLock();
          if (taken) {
            lock.unlock();
          }
          return taken;
        });
  }

  /** Soon: who gave up waiting may be in the way until the store has heard of it. */
  static void becomesFree(Lock lock) {
    soon("it is free").until(() -> isFree(lock));
  }

  /** For waits so short that the store may not answer meanwhile, which is told apart from busy. */
  static boolean isTakenWithin(long millis, Lock lock) throws InterruptedException {
    try {
      return lock.tryLock(millis, TimeUnit.MILLISECONDS);
    } catch (StoreException e) {
      return false;
    }
  }

  /** Takes the lock, waiting for it, and gives it back. */
  static String passThrough(Lock lock) {
    lock.lock();
    lock.unlock();
    return "passed";
  }

  /** All come to one place, or not all. */
  static boolean meet(CountDownLatch place) throws InterruptedException {
    place.countDown();
    return place.await(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  static ConditionFactory soon(String what) {
    return await(what).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).atMost(LONG);
  }

  Duration timed(Callable<?> action) throws Exception {
    long begin = clock.nanos();
    Object unused = action.call();
    return Duration.ofNanos(clock.nanos() - begin);
  }

  /** A condition that becomes true by itself. */
  Until runningFor(Duration time) {
    long end = clock.nanos() + time.toNanos();
    return () -> clock.nanos() - end >= 0;
  }

  /** Whether it is time to end. */
  interface Until {
    boolean isOver();
  }

  // ---- the end

  private static boolean isFreeForAnyKind(Engine client) {
    try {
      Optional<Lease> free = client.lock(NAME).tryAcquire();
      free.ifPresent(Lease::release);
      return free.isPresent();
    } catch (LockKindException stillInUse) {
      return false;
    }
  }

  @AfterEach
  void nothingIsLeft() {
    try {
      for (Engine client : clients) {
        soon("nothing in memory")
            .untilAsserted(
                () ->
                    assertThat(client.isClosed() || client.ledger().isZero())
                        .as(client.ledger().toString())
                        .isTrue());
      }
      // Another kind than most tests use: it would also meet with permits or readers that are left.
      Engine last = client();
      soon("the store has nothing left").until(() -> isFreeForAnyKind(last));
    } finally {
      clients.forEach(Engine::close);
    }
  }
}
