package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.gallery.wild.CountedInStore;
import io.leasehold.gallery.wild.HostNameOwner;
import io.leasehold.gallery.wild.ThreadIdOwner;
import java.time.Duration;

/** Who is the owner, and how often has it entered. */
final class OwnerScenes {
  private OwnerScenes() {}

  static void hostName(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.locks(new HostNameOwner(redis.connect(a), "invoice", "web-1"));
    b.says("is another process on web-1");
    b.locks(new HostNameOwner(redis.connect(b), "invoice", "web-1"));
    redis.shows("GET", "invoice");
  }

  static void threadId(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.locks(new ThreadIdOwner(redis.connect(a), "invoice", 1));
    b.says("is another process, in its main thread too");
    b.locks(new ThreadIdOwner(redis.connect(b), "invoice", 1));
    redis.shows("GET", "invoice");
  }

  static void counted(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client b = stage.client("B");
    var lockOfA = new CountedInStore(redis.connect(a), "invoice", "A");
    a.locks(lockOfA);
    redis.passes(Duration.ofSeconds(31));
    a.says("enters once more: it has it already");
    a.does(lockOfA::tryLock);
    redis.shows("HGET", "invoice", "A");
    a.says("leaves the inner block, and goes on in the outer");
    a.does(Client.unlocking(lockOfA));
    b.locks(new CountedInStore(redis.connect(b), "invoice", "B"));
    redis.shows("HGET", "invoice", "A");
    redis.shows("HGET", "invoice", "B");
  }

  static void onLeaseholdOwner(Stage stage) throws Exception {
    OnLeasehold.oneAtATime(
        stage,
        stage.redis(),
        "The lease is the owner: each grant has an id that is never used again.");
  }

  static void onLeaseholdCounted(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    LeaseholdClient b = redis.leasehold("B");
    a.lane()
        .does(
            () -> {
              a.lock("invoice").withLock(outer -> nested(stage, redis, a, b, outer));
              return true;
            });
    a.lane().leaves("leaves the outer block");
    var lease = b.tries("invoice");
    stage.harm(Harm.NOT_RELEASED, lease.isEmpty());
    if (lease.isPresent()) {
      b.releases(lease.get());
    }
    stage.verdict("Re-entry is counted in the process, and ends with its lease.");
  }

  private static void nested(
      Stage stage, RedisScenery redis, LeaseholdClient a, LeaseholdClient b, Lease outer)
      throws Exception {
    a.lane().enters("withLock → token " + stage.token(outer));
    redis.passes(Duration.ofSeconds(16));
    if (LeaseholdClient.isRenewed(outer)) {
      a.lane().says("is renewed");
    }
    redis.passes(Duration.ofSeconds(16));
    a.lock("invoice")
        .withLock(inner -> a.lane().says("withLock again → token " + stage.token(inner)));
    a.lane().says("leaves the inner block: nothing is sent");
    stage.harm(Harm.TWO_HOLDERS, b.tries("invoice").isPresent());
  }
}
