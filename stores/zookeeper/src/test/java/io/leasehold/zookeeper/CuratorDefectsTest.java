package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Test;

/** What was seen to be broken in Curator's locks, each as a test of ours. */
class CuratorDefectsTest extends ZooKeeperTest {
  /** It entered again, and said that it held, while another client held the lock. */
  @Test
  void reentryAfterTheSessionWasLost() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.NONE)) {
      Engine client = clientAt("zookeeper://127.0.0.1:" + proxy.port(), how -> how.ttl(SHORT));
      Lock lock = client.lock("a").asLock();
      lock.lock();
      proxy.refuse();
      proxy.cutAll();
      Lease next = client().lock("a").acquire(PATIENCE);
      assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
      assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
      next.release();
    }
  }

  /** CURATOR-678: it forgot the lock, whose node stayed and blocked it for ever. */
  @Test
  void releaseDuringAConnectionLoss() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.NONE)) {
      Engine client = clientAt("zookeeper://127.0.0.1:" + proxy.port(), how -> how);
      Lease held = client.lock("a").acquire();
      proxy.refuse();
      proxy.cutAll();
      try {
        held.release();
      } catch (StoreException inDoubt) {
        assertThat(inDoubt.failure()).isNotEqualTo(StoreException.Failure.REFUSED);
      }
      proxy.heal();
      client().lock("a").acquire(PATIENCE).release();
      requireNothingLeft(client);
      requireNoEntry("a");
    }
  }

  /** CURATOR-79: the node of an interrupted caller stayed, and no caller was behind it. */
  @Test
  void interruptOrphansANode() throws Exception {
    Engine other = client();
    Engine client = client();
    Lease held = other.lock("a").acquire();
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Throwable> ended = new CompletableFuture<>();
      Thread waiter =
          new Thread(
              () -> {
                try {
                  client.lock("a").acquire().release();
                  ended.complete(null);
                } catch (InterruptedException | RuntimeException e) {
                  ended.complete(e);
                }
              });
      waiter.start();
      if (i % 2 == 0) {
        await().atMost(PATIENCE).until(() -> waiters(other, "a") > 0);
      }
      waiter.interrupt();
      assertThat(ended).succeedsWithin(PATIENCE);
      assertThat(ended.join()).isInstanceOf(InterruptedException.class);
    }
    held.release();
    requireNothingLeft(client);
    requireNoEntry("a");
  }

  /** Two that wanted three of four permits got two each, and waited for ever. */
  @Test
  void permitsDeadlock() throws Exception {
    Engine one = client();
    Engine two = client();
    for (int i = 0; i < 10; i++) {
      CompletableFuture<Lease> first = one.semaphore("s", 4).permits(3).acquireAsync(PATIENCE);
      CompletableFuture<Lease> second = two.semaphore("s", 4).permits(3).acquireAsync(PATIENCE);
      CompletableFuture.anyOf(first, second).join();
      (first.isDone() ? first : second).join().release();
      served(first).release();
      served(second).release();
    }
  }

  /** After one had failed it took the others before it gave all back. */
  @Test
  void multiLockGoesOnAfterAFailure() throws Exception {
    for (String node : List.of("", "/b", "/b/foreign")) {
      plain(
          zk ->
              zk.create(prefix() + node, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
    }
    Engine client = client();
    assertThatThrownBy(() -> client.allOf("a", "b", "c").acquire(PATIENCE))
        .isInstanceOf(StoreException.class);
    requireNoEntry("a");
    assertThat(children("")).doesNotContain("c");
    requireNothingLeft(client);
  }

  /** A session's time to live is not given for a lock whose client goes on without it. */
  @Test
  void aLeaseThatIsNotRenewedEndsThoughItsSessionLives() throws Exception {
    Engine client = client(how -> how.ttl(SHORT));
    Lease kept = client.lock("kept").acquire();
    Lease left = client.lock("a").with(LockOptions.defaults().withoutRenewal()).acquire();
    client().lock("a").acquire(PATIENCE).release();
    assertThat(left.isHeld()).isFalse();
    assertThat(kept.isHeld()).isTrue();
    kept.release();
  }
}
