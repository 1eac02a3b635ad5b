package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three servers, of which one fails. */
class EnsembleTest extends ZooKeeperTest {
  /** In which an ensemble has a new leader, also on a busy machine. */
  private static final Duration TTL = Duration.ofSeconds(10);

  EnsembleTest() {
    super(ZooKeeperServer.ensemble(3));
  }

  @AfterEach
  void startAll() {
    for (ZooKeeperServer each : servers) {
      each.process().resume();
      if (!each.process().isAlive()) {
        each.process().start();
      }
    }
    servers.forEach(ZooKeeperServer::awaitServing);
  }

  private ZooKeeperServer leader() {
    return servers.stream().filter(each -> each.mode().equals("leader")).findAny().orElseThrow();
  }

  private ZooKeeperServer follower() {
    return servers.stream().filter(each -> each.mode().equals("follower")).findAny().orElseThrow();
  }

  private static Lease acquire(Engine client, String name) {
    return await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(LockException.class)
        .until(() -> client.lock(name).acquire(PATIENCE), lease -> true);
  }

  @Test
  void theLeaderIsKilledWhileALockIsHeldAndWaitedFor() throws Exception {
    Engine client = client(how -> how.ttl(TTL));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Void> lost = loss(held);
    CompletableFuture<Lease> waiter = beginToWait(client(how -> how.ttl(TTL)).lock("a"), client);
    leader().process().kill();
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(LockException.class)
        .untilAsserted(() -> held.ensureHeld(Duration.ofSeconds(2)));
    assertThat(lost).isNotDone();
    assertThat(waiter).isNotDone();
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(LockException.class)
        .untilAsserted(held::release);
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  @Test
  void theLeaderIsKilledWhileALockIsReleased() throws Exception {
    Engine client = client(how -> how.ttl(TTL));
    for (int i = 0; i < 2; i++) {
      Lease held = acquire(client, "a");
      ZooKeeperServer leader = leader();
      CompletableFuture<Void> killed = CompletableFuture.runAsync(() -> leader.process().kill());
      try {
        held.release();
      } catch (LockException inDoubt) {
        assertThat(inDoubt).isNotInstanceOf(LeaseLostException.class);
      }
      killed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      Lease next = acquire(client(how -> how.ttl(TTL)), "a");
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      next.release();
      startAll();
    }
  }

  @Test
  void aFollowersClientKeepsItsLock() throws Exception {
    Engine client = clientAt(follower().url(), how -> how.ttl(SHORT));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Void> lost = loss(held);
    pass(SHORT.multipliedBy(3));
    assertThat(lost).isNotDone();
    assertThat(held.isHeld()).isTrue();
    held.release();
  }

  /** The server that stands still is the leader; its client is alone with it. */
  @Test
  void theMinorityLosesBeforeTheMajorityGrants() throws Exception {
    ZooKeeperServer alone = leader();
    List<ZooKeeperServer> others = servers.stream().filter(each -> each != alone).toList();
    Engine minority = clientAt(alone.url(), how -> how.ttl(SHORT));
    Lease held = minority.lock("a").acquire();
    AtomicLong lostAt = new AtomicLong();
    held.onLost(() -> lostAt.set(System.nanoTime()));
    Engine majority = clientAt(ZooKeeperServer.url(others), how -> how.ttl(SHORT));
    CompletableFuture<Lease> waiter = beginToWait(majority.lock("a"), majority);
    alone.process().pause();
    Lease next = served(waiter);
    long granted = System.nanoTime();
    assertThat(held.isHeld()).isFalse();
    assertThat(lostAt.get()).isNotZero().isLessThan(granted);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  @Test
  void aRollingRestartUnderTwentyContenders() throws Exception {
    List<Engine> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      clients.add(client(how -> how.ttl(TTL)));
    }
    AtomicBoolean ending = new AtomicBoolean();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger granted = new AtomicInteger();
    AtomicLong last = new AtomicLong();
    Queue<String> broken = new ConcurrentLinkedQueue<>();
    ExecutorService threads = Executors.newFixedThreadPool(20);
    for (int i = 0; i < 20; i++) {
      Engine client = clients.get(i % clients.size());
      threads.execute(
          () -> {
            while (!ending.get()) {
              try (Lease lease = client.lock("a").acquire(PATIENCE)) {
                if (inside.incrementAndGet() > 1 && lease.isHeld()) {
                  broken.add("two inside");
                }
                if (last.getAndSet(lease.fencingToken()) >= lease.fencingToken()) {
                  broken.add("the token did not rise");
                }
                granted.incrementAndGet();
                inside.decrementAndGet();
              } catch (LockException | InterruptedException e) {
                // The next round
              }
            }
          });
    }
    for (ZooKeeperServer each : servers) {
      each.process().stop();
      int before = granted.get();
      await().atMost(PATIENCE).until(() -> granted.get() > before + 20);
      each.process().start();
      each.awaitServing();
    }
    ending.set(true);
    threads.shutdown();
    assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    assertThat(broken).isEmpty();
    for (Engine client : clients) {
      requireNothingLeft(client);
    }
  }
}
