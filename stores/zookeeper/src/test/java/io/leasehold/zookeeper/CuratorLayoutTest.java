package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.testkit.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Leasehold and Curator on the same nodes. */
class CuratorLayoutTest extends ZooKeeperTest {
  private static final int TTL_MILLIS = 60_000;

  private final CuratorFramework curator = curator(server.port());
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private static CuratorFramework curator(int port) {
    CuratorFramework made =
        CuratorFrameworkFactory.newClient(
            "127.0.0.1:" + port, TTL_MILLIS, 10_000, new RetryOneTime(100));
    made.start();
    return made;
  }

  @AfterAll
  void closeCurator() {
    threads.shutdownNow();
    curator.close();
  }

  private Engine client(String layout) {
    return clientAt(server.url(), "layout=curator-" + layout);
  }

  private Engine clientAt(String url, String layout) {
    return add(
        Leasehold.builder(url + "?" + layout)
            .ttl(Duration.ofMillis(TTL_MILLIS))
            .closeTimeout(Duration.ofSeconds(1)));
  }

  /** A name that no other test has. */
  private String path() {
    return prefix() + "/jobs";
  }

  /** Curator's locks belong to a thread: each acts on one of its own. */
  private final class Theirs {
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final InterProcessLock lock;

    Theirs(InterProcessLock lock) {
      this.lock = lock;
    }

    private <T> CompletableFuture<T> run(Callable<T> act) {
      CompletableFuture<T> done = new CompletableFuture<>();
      thread.execute(
          () -> {
            try {
              done.complete(act.call());
            } catch (Exception e) {
              done.completeExceptionally(e);
            }
          });
      return done;
    }

    boolean tries() throws Exception {
      return run(() -> lock.acquire(0, TimeUnit.SECONDS)).get(60, TimeUnit.SECONDS);
    }

    CompletableFuture<Boolean> acquire() {
      return run(() -> lock.acquire(60, TimeUnit.SECONDS));
    }

    void release() throws Exception {
      run(() -> {
            lock.release();
            return true;
          })
          .get(60, TimeUnit.SECONDS);
      thread.shutdown();
    }
  }

  private Theirs mutex() {
    return new Theirs(new InterProcessMutex(curator, path()));
  }

  private void awaitNodes(int count) {
    await().atMost(PATIENCE).until(() -> children("/jobs").size() == count);
  }

  @Test
  void eachKeepsTheOtherOut() throws Exception {
    DistributedLock ours = client("mutex").lock(path());
    Theirs theirs = mutex();
    Lease held = ours.acquire();
    assertThat(theirs.tries()).isFalse();
    held.release();
    assertThat(theirs.tries()).isTrue();
    assertThat(ours.tryAcquire()).isEmpty();
    theirs.release();
    Lease next = ours.tryAcquire().orElseThrow();
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    requireNoEntry("jobs");
  }

  @Test
  void theyWaitForEachOtherInTheOrderOfTheirArrival() throws Exception {
    Engine client = client("mutex");
    Lease held = client.lock(path()).acquire();
    Theirs second = mutex();
    CompletableFuture<Boolean> theirs = second.acquire();
    awaitNodes(2);
    CompletableFuture<Lease> third = client("mutex").lock(path()).acquireAsync(PATIENCE);
    awaitNodes(3);
    Theirs fourth = mutex();
    CompletableFuture<Boolean> last = fourth.acquire();
    awaitNodes(4);
    held.release();
    assertThat(theirs.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(third).isNotDone();
    second.release();
    Lease lease = served(third);
    assertThat(lease.fencingToken()).isGreaterThan(held.fencingToken());
    assertThat(last).isNotDone();
    lease.release();
    assertThat(last.get(60, TimeUnit.SECONDS)).isTrue();
    fourth.release();
  }

  @Test
  void theOtherIsInWhenTheSessionOfTheHolderEnds() throws Exception {
    CuratorFramework dies = curator(server.port());
    InterProcessMutex lock = new InterProcessMutex(dies, path());
    lock.acquire();
    CompletableFuture<Lease> ours = client("mutex").lock(path()).acquireAsync(PATIENCE);
    awaitNodes(2);
    dies.close();
    Lease held = served(ours);
    Theirs theirs = mutex();
    CompletableFuture<Boolean> next = theirs.acquire();
    awaitNodes(2);
    closeClients();
    assertThat(next.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(held.isHeld()).isFalse();
    theirs.release();
  }

  @Test
  void readersShareAndWritersWait() throws Exception {
    Engine client = client("readwrite");
    InterProcessReadWriteLock both = new InterProcessReadWriteLock(curator, path());
    Lease reads = client.readWriteLock(path()).readLock().acquire();
    Theirs reader = new Theirs(both.readLock());
    assertThat(reader.tries()).isTrue();
    Engine another = client("readwrite");
    another.readWriteLock(path()).readLock().tryAcquire().orElseThrow().release();
    Theirs writer = new Theirs(new InterProcessReadWriteLock(curator, path()).writeLock());
    assertThat(writer.tries()).isFalse();
    CompletableFuture<Lease> writes =
        client("readwrite").readWriteLock(path()).writeLock().acquireAsync(PATIENCE);
    awaitNodes(3);
    reads.release();
    assertThat(writes).isNotDone();
    reader.release();
    Lease held = served(writes);
    assertThat(writer.tries()).isFalse();
    held.release();
    assertThat(writer.tries()).isTrue();
    assertThat(client.readWriteLock(path()).readLock().tryAcquire()).isEmpty();
    writer.release();
  }

  @Test
  void noTwoAreInsideInAHundredRounds() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger rounds = new AtomicInteger();
    Callable<Boolean> ours =
        () -> {
          DistributedLock lock = client("mutex").lock(path());
          while (rounds.get() < 100) {
            try (Lease lease = lock.acquire(PATIENCE)) {
              enter(inside, rounds);
              assertThat(lease.isHeld()).isTrue();
            }
          }
          return true;
        };
    Callable<Boolean> theirs =
        () -> {
          InterProcessMutex lock = new InterProcessMutex(curator, path());
          while (rounds.get() < 100) {
            lock.acquire();
            try {
              enter(inside, rounds);
            } finally {
              lock.release();
            }
          }
          return true;
        };
    for (var each : threads.invokeAll(List.of(ours, ours, theirs, theirs))) {
      assertThat(each.get(2, TimeUnit.MINUTES)).isTrue();
    }
  }

  private static void enter(AtomicInteger inside, AtomicInteger rounds) {
    assertThat(inside.incrementAndGet()).isEqualTo(1);
    rounds.incrementAndGet();
    assertThat(inside.decrementAndGet()).isZero();
  }

  /** The node has the lease id, so it is found again. */
  @Test
  void aLostReplyLeavesNoNode() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), new Requests())) {
      Engine client = clientAt("zookeeper://127.0.0.1:" + proxy.port(), "layout=curator-mutex");
      client.lock(path()).acquire().release();
      for (int i = 0; i < 3; i++) {
        proxy.cutAfter(proxy.requests() + i);
        try {
          client.lock(path()).acquire(PATIENCE).release();
        } catch (StoreException told) {
          assertThat(told.failure()).isNotEqualTo(Failure.REFUSED);
        }
        proxy.heal();
        requireNothingLeft(client);
        requireNoEntry("jobs");
      }
      Theirs theirs = mutex();
      assertThat(theirs.acquire().get(60, TimeUnit.SECONDS)).isTrue();
      theirs.release();
    }
  }

  @Test
  void anOperatorSeesAndBreaksTheirs() throws Exception {
    Engine client = client("mutex");
    Theirs theirs = mutex();
    assertThat(theirs.tries()).isTrue();
    var seen = client.lock(path()).inspect().orElseThrow().holders().get(0);
    assertThat(seen.holder()).isNotEmpty();
    assertThat(client.lock(path()).breakLease(seen.fencingToken())).isTrue();
    client.lock(path()).tryAcquire().orElseThrow().release();
  }

  @Test
  void allLocksAreListedAtWhateverPathTheyAre() throws Exception {
    for (String layout : List.of("mutex", "readwrite")) {
      Engine client = client(layout);
      Lease outer = client.lock(path()).acquire();
      Lease inner = client.lock(path() + "/a/b").acquire();
      CompletableFuture<Lease> waits = beginToWait(client(layout).lock(path()), client);
      plain(zk -> zk.create(prefix() + "/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
      assertThat(client.list())
          .filteredOn(seen -> seen.name().startsWith(path()))
          .extracting(LockSnapshot::name, seen -> seen.waiters().size())
          .containsExactly(tuple(path(), 1), tuple(path() + "/a/b", 0));
      assertThat(clientAt(server.url(), "layout=curator-" + layout + "&prefix=" + path()).list())
          .extracting(LockSnapshot::name)
          .containsExactly("/a/b");
      outer.release();
      served(waits).release();
      inner.release();
      plain(
          zk -> {
            zk.delete(prefix() + "/x", -1);
            return true;
          });
    }
  }

  @Test
  void whatALayoutCannotCarryIsRefused() {
    Engine mutex = client("mutex");
    assertThatThrownBy(() -> mutex.readWriteLock(path()).readLock().tryAcquire())
        .hasMessageContaining("layout=curator-mutex");
    assertThatThrownBy(() -> mutex.semaphore(path(), 2).tryAcquire())
        .hasMessageContaining("layout=curator-mutex");
    assertThatThrownBy(() -> client("readwrite").semaphore(path(), 2).tryAcquire())
        .hasMessageContaining("layout=curator-readwrite");
    for (String name : List.of("/", "a/", "a//b", "a/../b")) {
      assertThatThrownBy(() -> mutex.lock(name).tryAcquire())
          .as(name)
          .isInstanceOfSatisfying(
              StoreException.class, told -> assertThat(told.failure()).isEqualTo(Failure.REFUSED))
          .hasMessageContaining("the path of a node");
    }
    assertThatThrownBy(() -> client("semaphore"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("layout=curator-mutex or layout=curator-readwrite");
  }
}
