package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.gallery.wild.GetThenDelete;
import io.leasehold.gallery.wild.LuaWithoutOwner;
import io.leasehold.gallery.wild.PlainDelete;
import io.leasehold.gallery.wild.WatchedRelease;
import java.time.Duration;

/** What goes wrong when a lock is let go. */
final class ReleaseScenes {
  private static final Duration PAST_THE_TTL = Duration.ofSeconds(31);

  private ReleaseScenes() {}

  static void plainDelete(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client b = stage.client("B");
    Client c = stage.client("C");
    Client d = stage.client("D");
    var lockOfA = new PlainDelete(redis.connect(a), "invoice");
    var lockOfB = new PlainDelete(redis.connect(b), "invoice");
    a.locks(lockOfA);
    Client.Stopped<Boolean> late = a.unlocksUntil("DEL", lockOfA);
    redis.passes(PAST_THE_TTL);
    b.locks(lockOfB);
    late.goesOn();
    c.locks(new PlainDelete(redis.connect(c), "invoice"));
    b.unlocks(lockOfB);
    d.locks(new PlainDelete(redis.connect(d), "invoice"));
    redis.shows("GET", "invoice");
  }

  static void getThenDelete(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client b = stage.client("B");
    Client c = stage.client("C");
    var lockOfA = new GetThenDelete(redis.connect(a), "invoice", "A");
    a.locks(lockOfA);
    Client.Stopped<Boolean> late = a.unlocksUntil("DEL", lockOfA);
    redis.passes(PAST_THE_TTL);
    b.locks(new GetThenDelete(redis.connect(b), "invoice", "B"));
    late.goesOn();
    c.locks(new GetThenDelete(redis.connect(c), "invoice", "C"));
    redis.shows("GET", "invoice");
  }

  static void luaWithoutOwner(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client b = stage.client("B");
    Client c = stage.client("C");
    var lockOfA = new LuaWithoutOwner(redis.connect(a), "invoice");
    a.locks(lockOfA);
    Client.Stopped<Boolean> late = a.unlocksUntil("EVAL unlock", lockOfA);
    redis.passes(PAST_THE_TTL);
    b.locks(new LuaWithoutOwner(redis.connect(b), "invoice"));
    late.goesOn();
    c.locks(new LuaWithoutOwner(redis.connect(c), "invoice"));
    redis.shows("GET", "invoice");
  }

  static void onLeaseholdLate(Stage stage) throws Exception {
    OnLeasehold.lateRelease(stage, stage.redis());
  }

  static void watchedRelease(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client watchdog = stage.client("W");
    Client b = stage.client("B");
    var lockOfA = new WatchedRelease(redis.connect(a), "invoice", "A");
    a.locks(lockOfA);
    Client.Stopped<Boolean> release = a.unlocksUntil("MULTI", lockOfA);
    var ofWatchdog = new WatchedRelease(redis.connect(watchdog), "invoice", "A");
    watchdog.does(
        () -> {
          ofWatchdog.renew();
          return true;
        });
    release.goesOn();
    a.says("unlock() has returned");
    boolean locked = b.locks(new WatchedRelease(redis.connect(b), "invoice", "B"));
    String holder = redis.shows("GET", "invoice");
    stage.harm(Harm.NOT_RELEASED, !locked && holder.equals("A"));
  }

  static void onLeaseholdRenewedAndReleased(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    LeaseholdClient b = redis.leasehold("B");
    Lease lease = a.acquires("invoice");
    a.renews(lease);
    a.releases(lease);
    var next = b.tries("invoice");
    stage.harm(Harm.NOT_RELEASED, next.isEmpty());
    if (next.isPresent()) {
      b.releases(next.get());
    }
    stage.verdict("No renewal is sent after the release; a release without effect throws.");
  }
}
