package io.leasehold.gallery;

import io.leasehold.LockTimeoutException;
import io.leasehold.gallery.wild.MinusOneRepair;
import io.leasehold.gallery.wild.RetryForEver;
import io.leasehold.gallery.wild.SetnxThenExpire;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;

/** A lock gets its end by a second command, or never; and what is done about that. */
final class NoExpiryScenes {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int TRIES = 1_000;

  private NoExpiryScenes() {}

  static void killedBetween(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client b = stage.client("B");
    var lockOfA = new SetnxThenExpire(redis.connect(a), "invoice");
    a.doesUntil("EXPIRE", lockOfA::tryLock).dies();
    redis.passes(HOUR);
    boolean locked = b.locks(new SetnxThenExpire(redis.connect(b), "invoice"));
    String ttl = redis.shows("TTL", "invoice");
    stage.harm(Harm.LOCKED_FOR_EVER, !locked && ttl.equals("(integer) -1"));
  }

  static void onLeaseholdKilled(Stage stage) throws Exception {
    OnLeasehold.holderDies(stage, stage.redis());
    stage.verdict("The grant and its ttl are one step: a dead holder's lock comes free.");
  }

  static void repair(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client b = stage.client("B");
    var lockOfA = new MinusOneRepair(redis.connect(a), "invoice", "A");
    Client.Stopped<Boolean> slow = a.doesUntil("EXPIRE", lockOfA::tryLock);
    b.locks(new MinusOneRepair(redis.connect(b), "invoice", "B"));
    a.judged(slow.goesOn());
    redis.shows("GET", "invoice");
  }

  static void endlessRetry(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    WallClock clock = stage.clock();
    Client a = stage.client("A");
    Client b = stage.client("B");
    AtomicInteger tries = new AtomicInteger();
    a.locks(new RetryForEver(redis.connect(a), "invoice", "A", clock.right(), () -> {}));
    Runnable sleep =
        () -> {
          if (tries.incrementAndGet() == 2) {
            b.mute();
          }
          if (tries.get() == TRIES) {
            throw new CancellationException("the gallery has seen enough");
          }
          clock.passesUnseen(Duration.ofMillis(100));
        };
    b.says("waits for 5 s at most");
    try {
      b.does(new RetryForEver(redis.connect(b), "invoice", "B", clock.right(), sleep)::tryLock);
    } catch (CancellationException seenEnough) {
      b.unmute();
      b.says("1,000 tries and 100 s later: still waits for 5 s");
      stage.harm(Harm.ENDLESS, true);
    }
    redis.shows("GET", "invoice");
  }

  static void onLeaseholdTimeout(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    LeaseholdClient b = redis.leasehold("B");
    var lease = a.acquires("invoice");
    try {
      b.lane().does(() -> b.lock("invoice").acquire(Duration.ofMillis(300)));
      stage.harm(Harm.TWO_HOLDERS, true);
    } catch (LockTimeoutException expected) {
      b.lane().says("acquire(300 ms) → LockTimeoutException");
    }
    a.releases(lease);
    stage.verdict("One deadline covers local queue, network and retries.");
  }
}
