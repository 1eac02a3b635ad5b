package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockException;
import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.JavaProcess;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.DeafListener;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

/** What becomes of leases and waiters when a session, a process or a connection ends. */
class SessionTest extends ZooKeeperTest {
  private JavaProcess puppet() {
    String url = server.url() + "?prefix=" + prefix();
    JavaProcess puppet = JavaProcess.start(Puppet.class, url, SHORT.toString());
    puppet.await("ready");
    return puppet;
  }

  @Test
  void aHolderThatStandsStillIsPassedOverAndTold() throws Exception {
    try (JavaProcess puppet = puppet()) {
      puppet.say("acquire");
      long token = Long.parseLong(puppet.await("acquired"));
      puppet.signal("STOP");
      Lease next = client().lock("a").acquire(PATIENCE);
      assertThat(next.fencingToken()).isGreaterThan(token);
      puppet.say("held");
      puppet.signal("CONT");
      assertThat(puppet.lines("held false")).doesNotContain("held true");
      puppet.say("acquire");
      next.release();
      assertThat(Long.parseLong(puppet.await("acquired"))).isGreaterThan(next.fencingToken());
    }
  }

  /** It watches no node any more, but the one behind it must go on to wait for the holder. */
  @Test
  void theWaiterBetweenHolderAndNextDies() throws Exception {
    Engine client = client();
    Lease held = client.lock("a").acquire();
    try (JavaProcess between = puppet()) {
      between.say("acquire");
      await().atMost(PATIENCE).until(() -> waiters(client, "a") == 1);
      CompletableFuture<Lease> next = beginToWait(client().lock("a"), client);
      between.signal("KILL");
      await().atMost(PATIENCE).until(() -> waiters(client, "a") == 1);
      pass(Duration.ofSeconds(1));
      assertThat(next).isNotDone();
      assertThat(held.isHeld()).isTrue();
      held.release();
      served(next).release();
    }
  }

  /**
   * The node of the name is not there, so the entry is asked for a second time once the server has
   * said so, which was once done although the entry was taken back meanwhile.
   */
  @Test
  void aWaiterThatGivesUpBeforeTheFirstAnswerLeavesNoEntry() throws Exception {
    Engine client = client();
    client.lock("other").acquire().release();
    server.process().pause();
    CompletableFuture<Lease> waiter = client.lock("a").acquireAsync(PATIENCE);
    assertThat(waiter.cancel(true)).isTrue();
    server.process().resume();
    requireNothingLeft(client);
    requireNoEntry("a");
  }

  /** As when the engine asks again while an attempt waits for a new session. */
  @Test
  void twoAttemptsAtOnceMakeOneEntry() throws Exception {
    Engine client = client();
    StoreUrl url = StoreUrl.parse(server.url() + "?prefix=" + prefix());
    try (LockStore store = new ZooKeeperStoreProvider().factory(url).open(new DeafListener())) {
      for (int i = 1; i <= 10; i++) {
        Ticket ticket = ticket("new " + i, new LeaseId(7, i));
        CompletionStage<Attempt> one = store.attempt(ticket, PATIENCE);
        CompletionStage<Attempt> two = store.attempt(ticket, PATIENCE);
        for (CompletionStage<Attempt> each : List.of(one, two)) {
          assertThat(each.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
              .isInstanceOf(Attempt.Granted.class);
        }
        LockSnapshot seen = client.lock(ticket.name()).inspect().orElseThrow();
        assertThat(seen.holders()).hasSize(1);
        assertThat(seen.waiters()).isEmpty();
      }
    }
  }

  private static Ticket ticket(String name, LeaseId id) {
    Duration ttl = Duration.ofSeconds(30);
    return new Ticket(
        name, id, LockMode.EXCLUSIVE, 1, 1, ttl, Ticket.Intent.QUEUE, false, "a test");
  }

  private CuratorFramework curator(Duration timeout) {
    CuratorFramework curator =
        CuratorFrameworkFactory.newClient(
            "127.0.0.1:" + server.port(),
            Math.toIntExact(timeout.toMillis()),
            5_000,
            new RetryOneTime(100));
    curator.start();
    return curator;
  }

  private Engine over(CuratorFramework curator, Duration ttl) {
    return add(Leasehold.builder(ZooKeeperStores.using(curator, prefix())).ttl(ttl));
  }

  @Test
  void overTheClientOfTheApplication() throws Exception {
    Duration ttl = Duration.ofSeconds(4);
    try (CuratorFramework curator = curator(ttl)) {
      Engine client = over(curator, ttl);
      Lease held = client.lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
      pass(ttl.multipliedBy(2));
      assertThat(held.isHeld()).isTrue();
      held.release();
      served(waiter).release();
      Lease left = client.lock("b").acquire();
      client.close();
      assertThat(left.isHeld()).isFalse();
      requireNoEntry("b");
      assertThat(curator.getZookeeperClient().isConnected()).isTrue();
    }
  }

  /** Its session was opened with the client, and is not prolonged before the first lease. */
  @Test
  void aFirstLeaseMayComeAfterTheTtl() throws Exception {
    Duration ttl = Duration.ofSeconds(4);
    try (CuratorFramework curator = curator(ttl)) {
      Engine client = over(curator, ttl);
      Engine second = client(how -> how.ttl(Duration.ofSeconds(30)));
      Engine third = client(how -> how.ttl(Duration.ofSeconds(30)));
      pass(ttl);
      Lease ofTheApplication = client.lock("a").tryAcquire().orElseThrow();
      pass(Duration.ofSeconds(15));
      Lease early = second.lock("b").tryAcquire().orElseThrow();
      pass(Duration.ofSeconds(12));
      Lease late = third.lock("c").tryAcquire().orElseThrow();
      pass(ttl.multipliedBy(2));
      for (Lease each : List.of(ofTheApplication, early, late)) {
        assertThat(each.isHeld()).isTrue();
        each.release();
      }
    }
  }

  @Test
  void theClientOfTheApplicationHasOneTtl() {
    try (CuratorFramework curator = curator(Duration.ofSeconds(4))) {
      assertThatThrownBy(() -> over(curator, Duration.ofSeconds(5)).lock("a").acquire())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("4s");
    }
  }

  @Test
  void aSessionThatTheServerEndsWhileItsClientIsIdleIsALostLease() throws Exception {
    Duration ttl = Duration.ofMinutes(5);
    try (CuratorFramework curator = curator(ttl)) {
      Engine client = over(curator, ttl);
      Lease held = client.lock("a").acquire();
      CompletableFuture<Void> lost = loss(held);
      ZooKeeper zk = curator.getZookeeperClient().getZooKeeper();
      end(zk);
      assertThat(lost).succeedsWithin(PATIENCE);
      assertThat(held.isHeld()).isFalse();
      Lease next =
          await()
              .atMost(PATIENCE)
              .ignoreExceptionsInstanceOf(LockException.class)
              .until(() -> client.lock("a").acquire(PATIENCE), lease -> true);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      next.release();
    }
  }

  /** As the server does when it has not heard from it. */
  private void end(ZooKeeper zk) throws IOException, InterruptedException {
    try (ZooKeeper same =
        new ZooKeeper(
            "127.0.0.1:" + server.port(),
            zk.getSessionTimeout(),
            event -> {},
            zk.getSessionId(),
            zk.getSessionPasswd())) {
      await().atMost(PATIENCE).until(() -> same.getState().isConnected());
    }
  }

  @Test
  void whileNothingComesThroughALeaseEndsByTheClockOfItsHolder() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.NONE)) {
      Engine client = clientAt("zookeeper://127.0.0.1:" + proxy.port(), how -> how.ttl(SHORT));
      Lease held = client.lock("a").acquire();
      CompletableFuture<Void> lost = loss(held);
      proxy.drop(Direction.TO_SERVER);
      proxy.drop(Direction.TO_CLIENT);
      Lease next = client().lock("a").acquire(PATIENCE);
      assertThat(lost).isDone();
      assertThatThrownBy(() -> client.lock("b").tryAcquire(Duration.ofMillis(300)))
          .isInstanceOf(StoreException.class);
      next.release();
      proxy.cutAll();
      proxy.heal();
      await()
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(LockException.class)
          .until(() -> client.lock("b").acquire(PATIENCE), lease -> true)
          .release();
      requireNothingLeft(client);
    }
  }
}
