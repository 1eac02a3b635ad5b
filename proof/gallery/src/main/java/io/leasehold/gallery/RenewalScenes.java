package io.leasehold.gallery;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.gallery.wild.FixedTtl;
import io.leasehold.gallery.wild.WatchdogLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import redis.clients.jedis.Jedis;

/** A lock that ends too early, or never. */
final class RenewalScenes {
  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

  private static final Duration SHORT_TTL = Duration.ofSeconds(1);

  private RenewalScenes() {}

  static void fixedTtl(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    redis.ask("SET", "stock", "10");
    Client a = stage.client("A");
    Client b = stage.client("B");
    Jedis ofA = redis.connect(a);
    Jedis ofB = redis.connect(b);
    var lockOfA = new FixedTtl(ofA, "item", "A");
    var lockOfB = new FixedTtl(ofB, "item", "B");
    a.locks(lockOfA);
    Client.Stopped<String> work = a.doesUntil("SET", () -> sell(ofA));
    redis.passes(Duration.ofSeconds(31));
    b.locks(lockOfB);
    b.does(() -> sell(ofB));
    work.goesOn();
    b.unlocks(lockOfB);
    a.unlocks(lockOfA);
    String stock = redis.shows("GET", "stock");
    stage.data("two were sold of ten");
    stage.harm(Harm.LOST_UPDATE, stock.equals("9"));
  }

  /** Sells one of the stock. */
  static String sell(Jedis jedis) {
    int stock = Integer.parseInt(jedis.get("stock"));
    return jedis.set("stock", String.valueOf(stock - 1));
  }

  static void onLeaseholdFixedTtl(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    LeaseholdClient b = redis.leasehold("B");
    longWorkIsRenewed(stage, redis, a, b);
    RemoteLeasehold c = redis.remoteLeasehold("C", SHORT_TTL, Duration.ZERO);
    long tokenOfC = c.acquires("item");
    c.lane().enters("is another process: acquire(), ttl 1 s → token " + stage.token(tokenOfC));
    c.stops();
    Lease leaseOfB = b.acquires("item");
    boolean first = redis.writesFenced(leaseOfB, "stock", "9");
    b.lane().says("writes 9 with token 3 → " + (first ? "done" : "refused"));
    c.goesOn();
    boolean held = c.isHeld();
    c.lane().leaves("goes on: isHeld() → " + held);
    boolean second = redis.writesFenced(tokenOfC, "stock", "9");
    c.lane().says("its write that was on the way, token 2 → " + (second ? "done" : "refused"));
    stage.harm(Harm.TWO_HOLDERS, held);
    stage.harm(Harm.LOST_UPDATE, second || !first);
    b.releases(leaseOfB);
    redis.shows("HGET", "stock", "value");
    stage.verdict(
        "Renewed while it runs. A holder that was stopped knows, and its token is refused.");
  }

  private static void longWorkIsRenewed(
      Stage stage, RedisScenery redis, LeaseholdClient a, LeaseholdClient b) throws Exception {
    Lease lease = a.acquires("item");
    redis.passes(Duration.ofSeconds(16));
    a.renews(lease);
    redis.passes(Duration.ofSeconds(16));
    stage.harm(Harm.TWO_HOLDERS, b.tries("item").isPresent());
    a.releases(lease);
  }

  static void onLeaseholdRenewed(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    LeaseholdClient b = redis.leasehold("B");
    longWorkIsRenewed(stage, redis, a, b);
    Lease next = b.acquires("item");
    b.releases(next);
    stage.verdict("Renewed at a third of its ttl, for as long as it is held.");
  }

  static void watchdog(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    Client a = stage.client("A");
    Client w = stage.client("W");
    Client b = stage.client("B");
    AtomicReference<Runnable> renewal = new AtomicReference<>(() -> {});
    var lockOfA =
        new WatchdogLock(
            redis.connect(a),
            redis.connect(w),
            (seconds, work) -> {
              renewal.set(work);
              return () -> renewal.set(() -> {});
            },
            "invoice",
            "A");
    a.locks(lockOfA);
    a.leaves("its work throws: unlock() is never called");
    for (int round = 1; round <= 360; round++) {
      if (round <= 2) {
        redis.passes(TEN_SECONDS);
      } else {
        w.mute();
        redis.passesUnseen(TEN_SECONDS);
      }
      w.does(
          () -> {
            renewal.get().run();
            return true;
          });
    }
    stage.world("an hour of this");
    boolean locked = b.locks(new FixedTtl(redis.connect(b), "invoice", "B"));
    String holder = redis.shows("GET", "invoice");
    stage.harm(Harm.LOCKED_FOR_EVER, !locked && holder.equals("A"));
  }

  static void onLeaseholdWatchdog(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    LeaseholdClient b = redis.leasehold("B");
    try {
      a.lane().does(() -> withWorkThatThrows(stage, a));
    } catch (UnsupportedOperationException thrown) {
      a.lane().leaves("its work throws: withLock releases");
    }
    var lease = b.tries("invoice");
    stage.harm(Harm.LOCKED_FOR_EVER, lease.isEmpty());
    if (lease.isPresent()) {
      b.releases(lease.get());
    }
    Duration longest = Duration.ofMillis(300);
    Lease hanging =
        a.acquires("invoice", LockOptions.defaults().withMaxHold(longest), "maxHold 300 ms");
    CompletableFuture<Boolean> lost = new CompletableFuture<>();
    hanging.onLost(() -> lost.complete(true));
    Client.ended(lost);
    a.lane().leaves("hangs; at maxHold the lease is lost");
    Lease next = b.acquires("invoice");
    b.releases(next);
    stage.verdict("The scope lets go; maxHold ends what hangs.");
  }

  private static boolean withWorkThatThrows(Stage stage, LeaseholdClient a) throws Exception {
    a.lock("invoice")
        .withLock(
            lease -> {
              a.lane().enters("withLock → token " + stage.token(lease));
              throw new UnsupportedOperationException();
            });
    return true;
  }
}
