package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.gallery.wild.TimestampClocks;
import io.leasehold.gallery.wild.TimestampInverted;
import io.leasehold.gallery.wild.TimestampNull;
import io.leasehold.gallery.wild.TimestampTolerance;
import io.leasehold.gallery.wild.TimestampUnchecked;
import java.time.Duration;
import java.util.OptionalLong;

/** SETNX with a timestamp, GET and GETSET. */
final class TimestampScenes {
  private TimestampScenes() {}

  static void nullRace(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    WallClock clock = stage.clock();
    Client a = stage.client("A");
    Client b = stage.client("B");
    Client c = stage.client("C");
    var lockOfA = new TimestampNull(redis.connect(a), "invoice", clock.right());
    a.locks(lockOfA);
    clock.passes(Duration.ofSeconds(1));
    var lockOfB = new TimestampNull(redis.connect(b), "invoice", clock.right());
    Client.Stopped<Boolean> slow = b.doesUntil("GET ", lockOfB::tryLock);
    a.unlocks(lockOfA);
    slow.goesOnUntil("GETSET");
    clock.passes(Duration.ofSeconds(1));
    c.locks(new TimestampNull(redis.connect(c), "invoice", clock.right()));
    b.judged(slow.goesOn());
    redis.shows("GET", "invoice");
  }

  static void unchecked(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    WallClock clock = stage.clock();
    Client a = stage.client("A");
    Client b = stage.client("B");
    Client c = stage.client("C");
    a.locks(new TimestampUnchecked(redis.connect(a), "invoice", clock.right()));
    a.dies("is killed");
    clock.passes(Duration.ofSeconds(31));
    var lockOfB = new TimestampUnchecked(redis.connect(b), "invoice", clock.right());
    Client.Stopped<Boolean> slow = b.doesUntil("GETSET", lockOfB::tryLock);
    c.locks(new TimestampUnchecked(redis.connect(c), "invoice", clock.right()));
    b.judged(slow.goesOn());
    redis.shows("GET", "invoice");
  }

  static void clocks(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    WallClock clock = stage.clock();
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.locks(new TimestampClocks(redis.connect(a), "invoice", clock.right()));
    clock.passes(Duration.ofSeconds(1));
    b.says("has a clock that is 40 s ahead");
    var ahead = clock.ahead(Duration.ofSeconds(40));
    b.locks(new TimestampClocks(redis.connect(b), "invoice", ahead));
    redis.shows("GET", "invoice");
  }

  static void tolerance(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    WallClock clock = stage.clock();
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.locks(new TimestampTolerance(redis.connect(a), "invoice", clock.right()));
    clock.passes(Duration.ofMillis(29_500));
    b.locks(new TimestampTolerance(redis.connect(b), "invoice", clock.right()));
    redis.shows("GET", "invoice");
  }

  static void inverted(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    WallClock clock = stage.clock();
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.locks(new TimestampInverted(redis.connect(a), "invoice", clock.right()));
    clock.passes(Duration.ofSeconds(1));
    b.locks(new TimestampInverted(redis.connect(b), "invoice", clock.right()));
    redis.shows("GET", "invoice");
  }

  static void onLeasehold(Stage stage) throws Exception {
    OnLeasehold.oneAtATime(
        stage,
        stage.redis(),
        "One script looks and takes, by the server's clock: nothing comes between.");
  }

  static void onLeaseholdClocks(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    Lease lease = a.acquires("invoice");
    Duration ahead = Duration.ofSeconds(40);
    RemoteLeasehold b = redis.remoteLeasehold("B", LeaseholdClient.TTL, ahead);
    b.lane().says("is a process whose clock is 40 s ahead");
    boolean stolen = b.tries("invoice").isPresent();
    b.lane().says("tryAcquire() → " + (stolen ? "granted" : "empty: it is held"));
    stage.harm(Harm.TWO_HOLDERS, stolen);
    a.releases(lease);
    OptionalLong token = b.tries("invoice");
    stage.harm(Harm.NOT_RELEASED, token.isEmpty());
    b.lane().enters("tryAcquire() → token " + stage.token(token.orElseThrow()));
    stage.verdict("The server's clock decides; no request carries a time.");
  }

  static void onLeaseholdTwoTakers(Stage stage) throws Exception {
    OnLeasehold.oneOfTwo(
        stage, stage.redis(), "One script looks and takes: of two takers one is refused.");
  }

  static void onLeaseholdAlmostOver(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    LeaseholdClient b = redis.leasehold("B");
    LockOptions tenMinutes = LockOptions.defaults().withTtl(Duration.ofMinutes(10));
    Lease lease = a.acquires("invoice", tenMinutes, "ttl 10 min");
    redis.passes(Duration.ofMinutes(9));
    stage.harm(Harm.TWO_HOLDERS, b.tries("invoice").isPresent());
    a.renews(lease);
    a.releases(lease);
    stage.verdict("The tolerance is the holder's: it stops 1 % early, others never start early.");
  }
}
