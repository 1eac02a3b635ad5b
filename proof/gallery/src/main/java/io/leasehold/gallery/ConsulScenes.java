package io.leasehold.gallery;

import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.gallery.wild.Consul;
import io.leasehold.gallery.wild.ConsulBusyLoop;
import io.leasehold.gallery.wild.ConsulLockDelay;
import io.leasehold.gallery.wild.ConsulNeverRenewed;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Sessions and keys of Consul. */
final class ConsulScenes {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int TRIES = 500;

  /** Far below the tries of a busy loop. */
  private static final int FEW = 40;

  private ConsulScenes() {}

  static void busyLoop(Stage stage) throws Exception {
    ConsulScenery consul = stage.consul();
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.does(new ConsulBusyLoop(consul.connect(a), consul.key())::lock);
    a.enters("has the lock");
    Consul api = consul.connect(b);
    AtomicInteger tries = new AtomicInteger();
    long before = consul.raftIndex();
    Consul counted =
        (path, body) -> {
          if (tries.get() == 3) {
            b.mute();
          }
          if (tries.get() == TRIES) {
            throw new CancellationException("the gallery has seen enough");
          }
          String answer = api.put(path, body);
          tries.addAndGet(path.contains("acquire") ? 1 : 0);
          return answer;
        };
    try {
      b.does(new ConsulBusyLoop(counted, consul.key())::lock);
    } catch (CancellationException seenEnough) {
      b.unmute();
    }
    b.says("500 requests later: A still works");
    stage.data("PUT ?acquire sent while it waits: " + tries.get());
    boolean agreed = consul.raftIndex() - before >= TRIES;
    stage.data("each an entry that the servers agree on: " + (agreed ? "yes" : "no"));
    stage.harm(Harm.FLOOD, tries.get() == TRIES);
  }

  static void onLeaseholdWaits(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    LeaseholdClient b = redis.leasehold("B");
    Lease lease = a.acquires("invoice");
    CompletableFuture<Lease> wait =
        b.lane().begins(() -> b.lock("invoice").acquire(Duration.ofMinutes(1)));
    await()
        .atMost(PATIENCE)
        .until(() -> !a.lock("invoice").inspect().orElseThrow().waiters().isEmpty());
    b.lane().says("acquire() waits");
    a.releases(lease);
    Lease next = Client.ended(wait);
    b.lane().enters("is woken → token " + stage.token(next));
    boolean few = b.requests() < FEW;
    b.lane().says("has sent " + (few ? "fewer" : "more") + " than " + FEW + " requests");
    stage.harm(Harm.FLOOD, !few);
    b.releases(next);
    stage.verdict("A waiter is woken; it asks once a second in case that was lost.");
  }

  static void neverRenewed(Stage stage) throws Exception {
    ConsulScenery consul = stage.consul();
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.locks(new ConsulNeverRenewed(consul.connect(a), consul.key(), "3s"));
    await().pollInterval(Duration.ofMillis(20)).atMost(PATIENCE).until(() -> !consul.isHeld());
    stage.world("A works; its session ends after once or twice its ttl");
    var lockOfB = new ConsulNeverRenewed(consul.connect(b), consul.key(), "10s");
    b.mute();
    await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(PATIENCE)
        .until(() -> b.does(lockOfB::tryLock));
    b.unmute();
    b.enters("asks until the lock-delay is over, and has the lock");
    consul.shows();
  }

  static void lockDelay(Stage stage) throws Exception {
    ConsulScenery consul = stage.consul();
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.locks(new ConsulLockDelay(consul.connect(a), consul.key(), "15s"));
    consul.invalidate(a);
    b.locks(new ConsulLockDelay(consul.connect(b), consul.key(), "15s"));
    a.leaves("learns of it within the delay, and stops");
    stage.world("free, and yet refused: a bug? LockDelay is set to 0s");
    ConsulScenery hurried = stage.consul();
    Client c = stage.client("C");
    Client d = stage.client("D");
    c.locks(new ConsulLockDelay(hurried.connect(c), hurried.key(), "0s"));
    hurried.invalidate(c);
    d.locks(new ConsulLockDelay(hurried.connect(d), hurried.key(), "0s"));
    c.leaves("learns of it as late as A did, and stops");
    hurried.shows();
  }
}
