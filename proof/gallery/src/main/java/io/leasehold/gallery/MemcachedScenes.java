package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.gallery.wild.MemcachedAdd;
import java.time.Duration;

/** Items of memcached. */
final class MemcachedScenes {
  private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

  private MemcachedScenes() {}

  static void belowASecond(Stage stage) throws Exception {
    MemcachedScenery memcached = stage.memcached();
    Client a = stage.client("A");
    Client b = stage.client("B");
    a.says("wants a ttl of 500 ms");
    a.locks(new MemcachedAdd(memcached.connect(a), "invoice", HALF_A_SECOND));
    a.dies("is killed");
    boolean locked = b.locks(new MemcachedAdd(memcached.connect(b), "invoice", HALF_A_SECOND));
    String ttl = memcached.showsTtl("invoice");
    stage.harm(Harm.LOCKED_FOR_EVER, !locked && ttl.equals("HD t-1"));
  }

  static void onLeaseholdShortTtl(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    LeaseholdClient b = redis.leasehold("B");
    a.acquires("invoice", LockOptions.defaults().withTtl(HALF_A_SECOND), "ttl 500 ms");
    a.dies();
    Lease lease = b.acquires("invoice");
    b.releases(lease);
    stage.verdict("A ttl is rounded up to the store's step; it is never none.");
  }
}
