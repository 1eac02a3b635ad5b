package io.leasehold.gallery;

import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.gallery.wild.Redlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;

/** Redlock over three servers, and one Redis with a token. */
final class RedlockScenes {
  private static final Duration PAST_THE_TTL = Duration.ofSeconds(31);

  /** Of a quorum. */
  private static final Duration LONGEST_LEASE = Duration.ofMinutes(16);

  private RedlockScenes() {}

  static void pause(Stage stage) throws Exception {
    List<RedisScenery> nodes = stage.fleet();
    RedisScenery data = stage.redis();
    data.ask("SET", "stock", "10");
    WallClock clock = stage.clock();
    Client a = stage.client("A");
    Client b = stage.client("B");
    Jedis dataOfA = data.connect(a);
    Jedis dataOfB = data.connect(b);
    var lockOfA = new Redlock(connect(nodes, a), "item", "A", clock.right());
    stage.world("a pause before the last answer is noticed");
    Client.Stopped<Boolean> slow = a.doesUntil("node 3: SET", lockOfA::tryLock);
    passes(stage, clock, nodes);
    a.judged(slow.goesOn());
    stage.world("a pause after it is not");
    a.locks(lockOfA);
    Client.Stopped<String> work = a.doesUntil("SET", () -> RenewalScenes.sell(dataOfA));
    passes(stage, clock, nodes);
    b.locks(new Redlock(connect(nodes, b), "item", "B", clock.right()));
    b.does(() -> RenewalScenes.sell(dataOfB));
    work.goesOn();
    String stock = data.shows("GET", "stock");
    stage.data("two were sold of ten");
    stage.harm(Harm.LOST_UPDATE, stock.equals("9"));
  }

  private static List<Jedis> connect(List<RedisScenery> nodes, Client client) {
    List<Jedis> all = new ArrayList<>();
    nodes.forEach(node -> all.add(node.connect(client)));
    return all;
  }

  private static void passes(Stage stage, WallClock clock, List<RedisScenery> nodes) {
    nodes.forEach(node -> node.passesUnseen(PAST_THE_TTL));
    clock.passesUnseen(PAST_THE_TTL);
    stage.world(Words.of(PAST_THE_TTL) + " pass");
  }

  static void clockJump(Stage stage) throws Exception {
    List<RedisScenery> nodes = stage.fleet();
    WallClock clock = stage.clock();
    Client a = stage.client("A");
    locksWithoutNode3(nodes, clock, a);
    Client b = stage.client("B");
    var lockOfB = new Redlock(connect(nodes, b), "invoice", "B", clock.right());
    nodes.get(1).passesUnseen(Duration.ofMillis(200));
    stage.world("node 2's clock drifts by 200 ms");
    b.locks(lockOfB);
    nodes.get(1).passesUnseen(PAST_THE_TTL);
    stage.world("node 2's clock jumps by 31 s");
    b.locks(lockOfB);
    show(nodes);
  }

  private static void locksWithoutNode3(List<RedisScenery> nodes, WallClock clock, Client a)
      throws Exception {
    a.says("cannot reach node 3");
    List<Jedis> reached = connect(nodes.subList(0, 2), a);
    reached.add(nodes.get(2).connectAndCut(a));
    a.locks(new Redlock(reached, "invoice", "A", clock.right()));
  }

  static void restart(Stage stage) throws Exception {
    List<RedisScenery> nodes = stage.fleet();
    WallClock clock = stage.clock();
    Client a = stage.client("A");
    locksWithoutNode3(nodes, clock, a);
    Client b = stage.client("B");
    List<Jedis> withoutNode2 = new ArrayList<>();
    withoutNode2.add(nodes.get(0).connect(b));
    withoutNode2.add(nodes.get(1).connectAndCut(b));
    withoutNode2.add(nodes.get(2).connect(b));
    nodes.get(1).server().kill();
    stage.world("node 2 crashes; it is kept out until every ttl is over");
    b.locks(new Redlock(withoutNode2, "invoice", "B", clock.right()));
    nodes.get(1).server().start();
    stage.world("or node 2 is back at once, without what it knew");
    b.locks(new Redlock(connect(nodes, b), "invoice", "B", clock.right()));
    show(nodes);
  }

  private static void show(List<RedisScenery> nodes) {
    nodes.forEach(node -> node.shows("GET", "invoice"));
  }

  static void onLeaseholdPause(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    Lease lease = a.acquires("item");
    a.lane().stops("is stopped before it writes 9");
    redis.passes(PAST_THE_TTL);
    nextHolderWritesAndTheFirstIsRefused(stage, redis, redis, a, lease);
    stage.verdict("One Redis may fail, too; its token lets the data refuse the late write.");
  }

  static void onLeaseholdClockJump(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    Lease lease = a.acquires("item");
    a.lane().stops("is about to write 9");
    redis.passesUnseen(PAST_THE_TTL);
    stage.world("the server's clock jumps by 31 s");
    nextHolderWritesAndTheFirstIsRefused(stage, redis, redis, a, lease);
    stage.verdict("The jump ends the lease early; tokens rise all the same.");
  }

  static void onLeaseholdRestart(Stage stage) throws Exception {
    List<RedisScenery> nodes = stage.fleet();
    // Each may vote: it runs for longer than any lease
    nodes.forEach(node -> node.passesUnseen(LONGEST_LEASE));
    LeaseholdClient a = RedisScenery.quorum(stage, nodes, "A");
    LeaseholdClient b = RedisScenery.quorum(stage, nodes, "B");
    a.cannotReach(3);
    Lease lease = a.acquires("invoice");
    nodes.get(1).server().kill();
    nodes.get(1).server().start();
    stage.world("node 2 is back at once, without what it knew");
    stage.harm(Harm.TWO_HOLDERS, b.tries("invoice").isPresent());
    nodes.forEach(node -> node.passesUnseen(PAST_THE_TTL));
    stage.world(Words.of(PAST_THE_TTL) + " pass");
    a.reaches(3);
    a.learnsOfTheLoss(lease);
    b.releases(b.acquires("invoice"));
    stage.verdict("Node 2 does not vote until every lease that it may have forgotten is over.");
  }

  private static void nextHolderWritesAndTheFirstIsRefused(
      Stage stage, RedisScenery locks, RedisScenery data, LeaseholdClient a, Lease leaseOfA)
      throws Exception {
    LeaseholdClient b = locks.leasehold("B");
    Lease leaseOfB = b.acquires("item");
    boolean first = data.writesFenced(leaseOfB, "stock", "9");
    b.lane().says("writes 9 with token 2 → " + (first ? "done" : "refused"));
    boolean second = data.writesFenced(leaseOfA, "stock", "9");
    a.lane().leaves("writes 9 with token 1 → " + (second ? "done" : "refused"));
    stage.harm(Harm.LOST_UPDATE, second || !first);
    await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofSeconds(20))
        .ignoreExceptionsInstanceOf(StoreException.class)
        .until(() -> !LeaseholdClient.isRenewed(leaseOfA));
    a.lane().leaves("ensureHeld() → LeaseLostException: it stops");
    b.releases(leaseOfB);
    data.shows("HGET", "stock", "value");
  }
}
