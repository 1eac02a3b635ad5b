package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.LockOptions;
import io.leasehold.internal.Engine;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/**
 * Tests on real servers, beside the contract. Each test has a prefix that no other has, and its
 * clients end with it.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a first run fetches the servers
public abstract class ClientTest {
  /** How long a test waits for what must come. */
  protected static final Duration PATIENCE = Duration.ofSeconds(60);

  /** In which a store has answered, on a busy machine too: a wait for so long ends as busy. */
  protected static final Duration ANSWERED = Duration.ofSeconds(2);

  private final String beginning;
  private final String ending;
  private final List<Engine> clients = new CopyOnWriteArrayList<>();
  private String prefix;

  /**
   * For subclasses.
   *
   * @param beginning of each prefix
   * @param ending of each prefix
   */
  protected ClientTest(String beginning, String ending) {
    this.beginning = beginning;
    this.ending = ending;
    this.prefix = newPrefix();
  }

  private String newPrefix() {
    return beginning + UUID.randomUUID() + ending;
  }

  /** What the names in the store begin with. */
  protected final String prefix() {
    return prefix;
  }

  /** A client with a ttl of ten minutes, so that no ttl heals anything. */
  protected final Engine clientAt(String url, UnaryOperator<LockClientBuilder> how) {
    LockClientBuilder builder =
        Leasehold.builder(url + (url.contains("?") ? "&" : "?") + "prefix=" + prefix)
            .ttl(Duration.ofMinutes(10))
            .closeTimeout(Duration.ofSeconds(1));
    return add(how.apply(builder));
  }

  /** Builds one that ends with the test. */
  protected final Engine add(LockClientBuilder builder) {
    Engine client = (Engine) builder.build();
    clients.add(client);
    return client;
  }

  /** Waits until a client has nothing in memory, and nothing in doubt. */
  protected static void requireNothingLeft(Engine client) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(client.ledger().isZero()).as("%s", client.ledger()).isTrue());
  }

  /**
   * One that waits in the store, or has failed.
   *
   * @param observer looks into the store
   */
  protected static CompletableFuture<Lease> beginToWait(DistributedLock lock, LockClient observer) {
    int before = waiters(observer, lock.name());
    CompletableFuture<Lease> waiter = lock.acquireAsync(PATIENCE.multipliedBy(2));
    await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(PATIENCE)
        .until(() -> waiter.isDone() || waiters(observer, lock.name()) > before);
    return waiter;
  }

  /** How many wait for a name. */
  protected static int waiters(LockClient observer, String name) {
    return observer.lock(name).inspect().map(seen -> seen.waiters().size()).orElse(0);
  }

  /**
   * How many requests a release brings for which 200 wait, each with its place in the store, until
   * one of them has the lock. Without the poll, which comes once a second.
   *
   * @param holder another client
   * @param eachBrings how many requests a waiter brings until its place is watched
   * @param requests how many there were so far
   */
  protected static int requestsAfterARelease(
      Engine holder, Engine client, int eachBrings, IntSupplier requests) throws Exception {
    Lease held = holder.lock("a").acquire();
    int begun = requests.getAsInt();
    DistributedLock lock = client.lock("a").with(LockOptions.defaults().fair());
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      waiters.add(lock.acquireAsync(PATIENCE.multipliedBy(4)));
    }
    // A busy client reads all answers before it sends what they bring, and that looks like silence
    int atLeast = begun + eachBrings * waiters.size();
    await().atMost(PATIENCE).until(() -> requests.getAsInt() >= atLeast);
    await().atMost(PATIENCE).until(() -> waiters(holder, "a") == waiters.size());
    AtomicInteger last = new AtomicInteger();
    await("silence but for the poll")
        .pollInterval(Duration.ofMillis(500))
        .atMost(PATIENCE)
        .until(() -> requests.getAsInt() - last.getAndSet(requests.getAsInt()) <= 1);
    Clock clock = new SystemClock();
    long begin = clock.nanos();
    int before = requests.getAsInt();
    held.release();
    CompletableFuture.anyOf(waiters.toArray(CompletableFuture[]::new))
        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    int polls = 1 + (int) Duration.ofNanos(clock.nanos() - begin).toSeconds();
    return requests.getAsInt() - before - polls;
  }

  /**
   * How long it takes until so many more requests have come, and no less.
   *
   * @param requests how many there were so far
   */
  protected static Duration timeOf(int more, IntSupplier requests) {
    Clock clock = new SystemClock();
    long begin = clock.nanos();
    int before = requests.getAsInt();
    await().atMost(PATIENCE).until(() -> requests.getAsInt() >= before + more);
    return Duration.ofNanos(clock.nanos() - begin);
  }

  /**
   * Lets things happen one after another while twenty callers contend for a lock: each event comes
   * once some have had it since the one before. No two hold it, and tokens rise throughout.
   *
   * @param threads twenty, which it ends
   */
  protected static void underTwentyContenders(
      ExecutorService threads, List<Engine> clients, List<Runnable> events)
      throws InterruptedException {
    new Contention(PATIENCE).during(threads, clients, events);
    clients.forEach(ClientTest::requireNothingLeft);
  }

  /**
   * Steps a server's wall clock forwards, by which no lease may end.
   *
   * @param ttl of the holder, which is renewed
   * @param step steps the clock
   * @param time what the server takes to look for what has ended
   */
  protected final void requireNoLeaseEnds(String url, Duration ttl, Runnable step, Duration time)
      throws Exception {
    Engine client = clientAt(url, how -> how.ttl(ttl));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(clientAt(url, how -> how).lock("a"), client);
    step.run();
    pass(time);
    assertThat(waiter).isNotDone();
    assertThat(held.isHeld()).isTrue();
    held.release();
    requireAfter(held, served(waiter));
  }

  /** The next lease has a higher token than one that is over; it is released. */
  protected static void requireAfter(Lease before, Lease next) {
    assertThat(before.isHeld()).isFalse();
    assertThat(next.fencingToken()).isGreaterThan(before.fencingToken());
    next.release();
  }

  /**
   * A lease whose client does not reach its server any more.
   *
   * @param port of the server
   * @param urlBy its URL by way of a proxy at another port
   * @param meanwhile what happens between the grant and that
   */
  protected final Lease heldByADeadClient(
      int port, IntFunction<String> urlBy, Duration ttl, Runnable meanwhile) throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", port, Framing.NONE)) {
      Lease held = clientAt(urlBy.apply(proxy.port()), how -> how.ttl(ttl)).lock("a").acquire();
      meanwhile.run();
      proxy.refuse();
      proxy.cutAll();
      return held;
    }
  }

  /** What a waiter gets. */
  protected static Lease served(CompletableFuture<Lease> waiter) throws Exception {
    return waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Completes once the lease is lost. */
  protected static CompletableFuture<Void> loss(Lease lease) {
    CompletableFuture<Void> lost = new CompletableFuture<>();
    lease.onLost(() -> lost.complete(null));
    return lost;
  }

  /** Lets time pass, where nothing shall happen. */
  protected static void pass(Duration time) {
    Clock clock = new SystemClock();
    long begin = clock.nanos();
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(time.plus(PATIENCE))
        .until(() -> clock.nanos() - begin > time.toNanos());
  }

  /** Closes them, in the middle of a test too. */
  @AfterEach
  protected final void closeClients() {
    clients.forEach(Engine::close);
    clients.clear();
    prefix = newPrefix();
  }
}
