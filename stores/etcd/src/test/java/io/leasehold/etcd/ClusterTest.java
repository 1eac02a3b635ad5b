package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three members, of which some die, stand still or restart. */
class ClusterTest extends EtcdTest {
  private final List<EtcdServer> members = EtcdServer.of(Kind.ETCD_3_5).startCluster(3);

  @AfterEach
  void heal() {
    for (EtcdServer each : members) {
      each.process().resume();
      if (!each.process().isAlive()) {
        each.process().start();
      }
    }
    members.forEach(EtcdServer::awaitHealthy);
  }

  @AfterAll
  void stop() {
    members.forEach(EtcdServer::close);
  }

  private String all() {
    return EtcdServer.url(members);
  }

  private EtcdServer leader() {
    return members.stream().filter(EtcdServer::isLeader).findAny().orElseThrow();
  }

  private List<EtcdServer> followers() {
    EtcdServer leader = leader();
    return members.stream().filter(each -> each != leader).toList();
  }

  @Test
  void theLeaderDiesWhileALockIsHeldWaitedForAndReleased() throws Exception {
    Engine one = clientAt(all(), how -> how.ttl(Duration.ofSeconds(10)));
    Engine two = clientAt(all());
    Lease held = one.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(two.lock("a"), two, 1);
    EtcdServer leader = leader();
    leader.process().kill();
    assertThat(held.isHeld()).isTrue();
    assertThat(waiter).isNotDone();
    try {
      held.release();
    } catch (StoreException unknown) {
      assertThat(unknown.failure()).isNotEqualTo(StoreException.Failure.REFUSED);
    }
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    requireNothingLeft(one);
    requireNothingLeft(two);
  }

  @Test
  void theClientOfAFollowerKeepsItsLockWhenTheLeaderDies() throws Exception {
    EtcdServer follower = followers().get(0);
    Engine client = clientAt(follower.url(), how -> how.ttl(Duration.ofSeconds(6)));
    Lease held = client.lock("a").acquire();
    leader().process().kill();
    pass(Duration.ofSeconds(7));
    assertThat(held.isHeld()).isTrue();
    assertThat(clientAt(follower.url()).lock("a").tryAcquire()).isEmpty();
    held.release();
  }

  /** The holder is cut off with the member that it talks to, which leads and stands still. */
  @Test
  void whoIsCutOffWithTheLeaderLosesBeforeTheOthersGrant() throws Exception {
    EtcdServer leader = leader();
    Engine alone = clientAt(leader.url(), how -> how.ttl(Duration.ofSeconds(2)));
    Engine others = clientAt(EtcdServer.url(followers()));
    Lease held = alone.lock("a").acquire();
    CompletableFuture<Long> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(System.nanoTime()));
    CompletableFuture<Lease> waiter = beginToWait(others.lock("a"), others, 1);
    CompletableFuture<Long> granted = waiter.thenApply(lease -> System.nanoTime());
    leader.process().pause();
    Lease next = served(waiter);
    assertThat(held.isHeld()).isFalse();
    assertThat(lost).isDone();
    assertThat(granted.get() - lost.get()).isPositive();
    leader.process().resume();
    // The one that stood still must not revive it
    pass(Duration.ofSeconds(1));
    assertThat(held.isHeld()).isFalse();
    assertThat(next.isHeld()).isTrue();
    next.release();
  }

  @Test
  void whoTalksToAMemberWithoutAMajorityLosesInTime() throws Exception {
    EtcdServer left = followers().get(0);
    Engine client = clientAt(left.url(), how -> how.ttl(Duration.ofSeconds(6)));
    Lease held = client.lock("a").acquire();
    List<EtcdServer> away = members.stream().filter(each -> each != left).toList();
    long begin = System.nanoTime();
    away.forEach(each -> each.process().pause());
    awaitLost(held);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(9));
    away.forEach(each -> each.process().resume());
    Engine other = clientAt(EtcdServer.url(away));
    other.lock("a").acquire(PATIENCE).release();
  }

  @Test
  void aMemberThatStandsStillIsLeftForAnother() throws Exception {
    EtcdServer stuck = leader();
    List<EtcdServer> order = new ArrayList<>(List.of(stuck));
    order.addAll(followers());
    Engine client = clientAt(EtcdServer.url(order), how -> how.ttl(Duration.ofSeconds(10)));
    Lease held = client.lock("a").acquire();
    stuck.process().pause();
    pass(Duration.ofSeconds(12));
    assertThat(held.isHeld()).isTrue();
    held.release();
    client.lock("a").acquire(PATIENCE).release();
  }

  @Test
  void aRollingRestartUnderTwentyContenders() throws Exception {
    List<Engine> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(clientAt(all(), how -> how.ttl(Duration.ofSeconds(20))));
    }
    List<Runnable> events = new ArrayList<>();
    for (EtcdServer each : members) {
      events.add(() -> each.process().stop());
      events.add(
          () -> {
            each.process().start();
            each.awaitHealthy();
          });
    }
    underTwentyContenders(Executors.newFixedThreadPool(20), clients, events);
  }

  /** {@code TestMutexWaitsOnCurrentHolder} of etcd. */
  @Test
  void theWaiterBetweenHolderAndNextDiesAndTheNextStillWaits() throws Exception {
    Engine observer = clientAt(all());
    Lease held = observer.lock("a").acquire();
    Engine victim = clientAt(all());
    CompletableFuture<Lease> between = beginToWait(victim.lock("a"), observer, 1);
    CompletableFuture<Lease> next = beginToWait(clientAt(all()).lock("a"), observer, 2);
    victim.close();
    await()
        .atMost(PATIENCE)
        .until(() -> observer.lock("a").inspect().orElseThrow().waiters().size() == 1);
    pass(Duration.ofMillis(1500));
    assertThat(next).isNotDone();
    assertThat(between).isCompletedExceptionally();
    held.release();
    served(next).release();
  }
}
