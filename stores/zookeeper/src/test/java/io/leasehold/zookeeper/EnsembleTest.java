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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
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
    List<Runnable> events = new ArrayList<>();
    for (ZooKeeperServer each : servers) {
      events.add(() -> each.process().stop());
      events.add(
          () -> {
            each.process().start();
            each.awaitServing();
          });
    }
    underTwentyContenders(Executors.newFixedThreadPool(20), clients, events);
  }
}
