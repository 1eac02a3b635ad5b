package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockClient;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

/**
 * What one test of the contract works with: its clients, its lock names, its callers. At the end of
 * the test nothing may be left of them, neither in the clients nor in the store.
 */
public final class Testbed {
  /** Far longer than any test: what is left is not healed by a ttl. */
  public static final Duration LONG = Duration.ofMinutes(10);

  /** In which the next client must be in: far below {@link #LONG}, far above a stall. */
  public static final Duration SOON = Duration.ofSeconds(5);

  private final ContractFixture fixture;
  private final ThreadGroup group;
  private final Duration patience;
  private final String prefix;
  private final Clock clock = new SystemClock();
  private final List<LockClient> clients = new CopyOnWriteArrayList<>();
  private final Set<LockClient> crashed = ConcurrentHashMap.newKeySet();
  private final List<LockClient> firstTwo = new ArrayList<>();

  Testbed(ContractFixture fixture, ThreadGroup group, Duration patience, String prefix) {
    this.fixture = fixture;
    this.group = group;
    this.patience = patience;
    this.prefix = prefix;
  }

  /** How the store is reached. */
  public ContractFixture fixture() {
    return fixture;
  }

  /** Aborts the test if this cannot be done. */
  public void needs(Ability ability) {
    fixture.lacks(ability).ifPresent(reason -> Assumptions.abort(ability + ": " + reason));
  }

  // ---- clients

  /** The first client: ten minutes of ttl. */
  public LockClient one() {
    return client(0);
  }

  /** The second client, as the first. */
  public LockClient two() {
    return client(1);
  }

  private LockClient client(int index) {
    while (firstTwo.size() <= index) {
      firstTwo.add(open());
    }
    return firstTwo.get(index);
  }

  /** One more client, as the first. */
  public LockClient open() {
    return open(settings -> settings);
  }

  /** One more client. */
  public LockClient open(UnaryOperator<ClientSettings> settings) {
    LockClient client = fixture.open(settings.apply(ClientSettings.defaults()));
    clients.add(client);
    return client;
  }

  /** What can go wrong on the way from this client to the store. */
  public Faults faults(LockClient client) {
    return fixture.faults(client);
  }

  /** Makes a client dead: nothing of it reaches the store any more. */
  public void crash(LockClient client) {
    faults(client).silence();
    crashed.add(client);
  }

  // ---- names and leases

  /** The lock name of this test. */
  public String name() {
    return prefix;
  }

  /** Another lock name of this test. */
  public String name(Object suffix) {
    return prefix + suffix;
  }

  /** The lock of this test, as this client has it. */
  public DistributedLock lock(LockClient client) {
    return client.lock(name());
  }

  /** Options with a short ttl that is not renewed. */
  public LockOptions brief() {
    return LockOptions.defaults().withTtl(fixture.shortTtl()).withoutRenewal();
  }

  /** Takes the lock of this test, which must be free soon. */
  public Lease take(LockClient client) throws InterruptedException {
    return take(lock(client));
  }

  /** Takes a lock, which must be free soon. */
  public Lease take(DistributedLock lock) throws InterruptedException {
    Optional<Lease> lease = waits() ? lock.tryAcquire(SOON) : lock.tryAcquire();
    assertThat(lease).as("lock '%s' is free for the next client", lock.name()).isPresent();
    return lease.orElseThrow();
  }

  /** Takes the lock of this test once it comes free by itself. */
  public Lease outlast(LockClient client) throws InterruptedException {
    if (waits()) {
      return lock(client).acquire(patience);
    }
    return Awaitility.await("the lock to come free")
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(20))
        .atMost(patience)
        .until(() -> lock(client).tryAcquire(), Optional::isPresent)
        .orElseThrow();
  }

  private boolean waits() {
    return fixture.lacks(Ability.WAIT).isEmpty();
  }

  /** Requires that the lock of this test is free for another client, soon. */
  public void requireFree() throws InterruptedException {
    requireFree(name());
  }

  /** Requires that a lock is free for another client, soon. */
  public void requireFree(String name) throws InterruptedException {
    LockClient next = open();
    take(next.lock(name)).release();
    close(next);
  }

  /** Requires that the lock of this test is held, or waited for, by others than this client. */
  public void requireBusy(LockClient client) {
    assertThat(lock(client).tryAcquire()).as("a try for '%s'", name()).isEmpty();
  }

  /**
   * Waits for a lock that stays busy, and requires that it is not granted. On a machine too slow to
   * hear of that in time, or even to send the question, that is told as such.
   */
  public static void giveUp(DistributedLock lock, Duration maxWait) throws InterruptedException {
    try {
      assertThat(lock.tryAcquire(maxWait)).as("lock '%s'", lock.name()).isEmpty();
    } catch (StoreException slow) {
      assertThat(slow.failure()).isNotEqualTo(StoreException.Failure.REFUSED);
    }
  }

  /** Requires that the holder believes in a lease, and the store too, as far as it lists. */
  public void requireHeld(Lease lease) {
    requireBelieved(lease);
    if (fixture.lacks(Ability.LIST).isEmpty()) {
      assertThat(open().lock(lease.name()).inspect().map(LockSnapshot::holders).orElse(List.of()))
          .extracting(LockSnapshot.Holder::leaseId)
          .contains(lease.leaseId());
    }
  }

  /** Requires that the holder believes in a lease, as far as it can know. */
  public void requireBelieved(Lease lease) {
    if (fixture.lacks(Ability.VALIDITY).isEmpty()) {
      assertThat(lease.isHeld()).as("%s is held", lease).isTrue();
    }
  }

  /** Requires that soon nothing is left in the memory of this client. */
  public void requireNothingLeft(LockClient client) {
    Awaitility.await("nothing left in the client")
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(2))
        .atMost(patience)
        .untilAsserted(() -> assertThat(fixture.leftovers(client)).isEmpty());
  }

  /** Closes a client before the end of the test. */
  public void close(LockClient client) {
    requireNothingLeft(client);
    clients.remove(client);
    client.close();
  }

  // ---- time and callers

  /** Does something on a thread of its own. */
  public <T> Caller<T> start(Callable<T> work) {
    openSecond();
    return new Caller<>(group, patience, work);
  }

  /**
   * Starts to wait for the lock of this test, which is held, and returns when the store has
   * answered that: from then on the waiter outlasts failures.
   */
  public Caller<Lease> startAnswered(LockClient client, Duration maxWait) {
    return startAnswered(client, lock(client), maxWait);
  }

  /** As {@link #startAnswered(LockClient, Duration)}, for another lock of that client. */
  public Caller<Lease> startAnswered(LockClient client, DistributedLock lock, Duration maxWait) {
    OptionalInt before = faults(client).answers();
    Caller<Lease> waiter = start(() -> lock.acquire(maxWait)).waiting();
    await(
        "the store's answer",
        () -> before.isEmpty() || waiter.isDone() || !faults(client).answers().equals(before));
    return waiter;
  }

  /** As {@link #start} on a virtual thread; aborts the test before JDK 21, which has none. */
  public <T> Caller<T> startVirtual(Callable<T> work) {
    openSecond();
    return Caller.virtual(patience, work);
  }

  /** A caller that opens its client first waits for that, not for a lock. */
  private void openSecond() {
    if (firstTwo.size() == 1) {
      two();
    }
  }

  /** Waits for a condition. */
  public void await(String what, BooleanSupplier condition) {
    Awaitility.await(what)
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(2))
        .atMost(patience)
        .until(condition::getAsBoolean);
  }

  /** Lets time pass. */
  public void pass(Duration time) {
    long start = now();
    await("time to pass", () -> now() - start >= time.toNanos());
  }

  /** The monotonic clock, in nanoseconds. */
  public long now() {
    return clock.nanos();
  }

  /** How long it is since. */
  public Duration since(long start) {
    return Duration.ofNanos(now() - start);
  }

  /** How long a wait may take that must end by itself. */
  public Duration patience() {
    return patience;
  }

  /** Threads of this test, its clients' threads among them. */
  public ThreadGroup threads() {
    return group;
  }

  // ---- the end

  /** Requires that nothing is left. */
  void requireNothingLeft() {
    for (LockClient client : clients) {
      if (!crashed.contains(client) && !client.isClosed()) {
        requireNothingLeft(client);
      }
    }
  }

  /** Requires that soon nothing is left in the store, as far as it lists. */
  public void requireNothingInTheStore() {
    if (fixture.lacks(Ability.LIST).isEmpty()) {
      LockClient observer = open();
      Awaitility.await("nothing left in the store")
          .pollInSameThread()
          .atMost(SOON)
          .untilAsserted(() -> assertThat(leftIn(observer)).isEmpty());
    }
  }

  private List<LockSnapshot> leftIn(LockClient observer) {
    return observer.list().stream().filter(found -> found.name().contains(prefix)).toList();
  }

  /** Closes all clients, also after a failure. */
  void close() {
    crashed.forEach(client -> faults(client).heal());
    clients.forEach(LockClient::close);
    fixture.close();
  }
}
