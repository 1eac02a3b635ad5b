package io.leasehold.gallery;

import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.gallery.wild.EphemeralNode;
import io.leasehold.gallery.wild.HerdLock;
import io.leasehold.gallery.wild.PersistentNode;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import redis.clients.jedis.Jedis;

/** Nodes and sessions of ZooKeeper. */
final class ZooKeeperScenes {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int PROCESSES = 4;
  private static final int WAITERS = 200;

  /** Far below one a waiter. */
  private static final int FEW = 40;

  private ZooKeeperScenes() {}

  static void persistent(Stage stage) throws Exception {
    ZooKeeperScenery zooKeeper = stage.zooKeeper();
    Client a = stage.client("A");
    Client b = stage.client("B");
    AtomicInteger requests = new AtomicInteger();
    ZooKeeperWire ofA = zooKeeper.connect(a, requests);
    a.locks(new PersistentNode(ofA, ZooKeeperScenery.PATH, "A"));
    zooKeeper.expire(ofA);
    a.dies("is killed; its session ends");
    boolean locked =
        b.locks(new PersistentNode(zooKeeper.connect(b, requests), ZooKeeperScenery.PATH, "B"));
    stage.harm(Harm.LOCKED_FOR_EVER, !locked && zooKeeper.shows().equals("A"));
  }

  static void herd(Stage stage) throws Exception {
    ZooKeeperScenery zooKeeper = stage.zooKeeper();
    Client a = stage.client("A");
    Client crowd = stage.client("*");
    HerdLock lockOfA =
        new HerdLock(zooKeeper.connect(a, new AtomicInteger()), ZooKeeperScenery.PATH);
    a.does(
        () -> {
          lockOfA.lock();
          return true;
        });
    a.enters("has the lock");
    crowd.mute();
    AtomicInteger requests = new AtomicInteger();
    AtomicInteger served = new AtomicInteger();
    crowdWaits(stage, zooKeeper, crowd, requests, served);
    await().atMost(PATIENCE).until(() -> requests.get() == 2 * WAITERS);
    crowd.unmute();
    crowd.says("200 clients wait: each has asked, and watches the node");
    crowd.mute();
    requests.set(0);
    a.leaves("is done, and unlocks");
    a.does(
        () -> {
          lockOfA.unlock();
          return true;
        });
    await().atMost(PATIENCE).until(() -> requests.get() == 2 * WAITERS - 1 && served.get() == 1);
    crowd.unmute();
    crowd.enters("200 wake and ask: 200 × create, 199 × exists; one has it");
    stage.harm(Harm.FLOOD, requests.get() >= WAITERS);
    stage.data("requests for one hand-over: " + requests.get());
    stage.data("for all of the 200: " + WAITERS * WAITERS);
  }

  private static void crowdWaits(
      Stage stage,
      ZooKeeperScenery zooKeeper,
      Client crowd,
      AtomicInteger requests,
      AtomicInteger served)
      throws IOException {
    List<HerdLock> locks = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      locks.add(new HerdLock(zooKeeper.connect(crowd, requests), ZooKeeperScenery.PATH));
    }
    stage.closes(
        new Crowd(
            WAITERS,
            i -> {
              locks.get(i % PROCESSES).lock();
              served.incrementAndGet();
            }));
  }

  static void onLeaseholdHerd(Stage stage) throws Exception {
    RedisScenery redis = stage.redis();
    LeaseholdClient a = redis.leasehold("A");
    Client crowd = stage.client("*");
    Lease lease = a.acquires("invoice");
    List<LeaseholdClient> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(redis.leaseholdOf(crowd));
    }
    CompletableFuture<Lease> served = new CompletableFuture<>();
    Crowd waiters =
        stage.closes(
            new Crowd(
                WAITERS,
                i -> {
                  var lock = processes.get(i % PROCESSES).lock("invoice");
                  served.complete(lock.acquire(Duration.ofMinutes(1)));
                }));
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                waiters.isWaiting()
                    && a.lock("invoice").inspect().orElseThrow().waiters().size() >= PROCESSES);
    crowd.says("200 clients in 4 processes wait: one of each in the store");
    int before = requests(processes);
    a.releases(lease);
    Lease next = Client.ended(served);
    int sent = requests(processes) - before;
    crowd.enters("one has it, token " + stage.token(next) + ": fewer than " + FEW + " requests");
    stage.harm(Harm.FLOOD, sent >= FEW);
    stage.verdict("Waiters of a process queue there, and the store tells the next one alone.");
  }

  private static int requests(List<LeaseholdClient> processes) {
    return processes.stream().mapToInt(LeaseholdClient::requests).sum();
  }

  static void expired(Stage stage) throws Exception {
    ZooKeeperScenery zooKeeper = stage.zooKeeper();
    RedisScenery data = stage.redis();
    data.ask("SET", "stock", "10");
    Client a = stage.client("A");
    Client b = stage.client("B");
    Jedis dataOfA = data.connect(a);
    Jedis dataOfB = data.connect(b);
    FaultProxy network = zooKeeper.proxy();
    ZooKeeperWire ofA = zooKeeper.connectBy(a, network);
    a.locks(new EphemeralNode(ofA, ZooKeeperScenery.PATH, "A"));
    Client.Stopped<String> work = a.doesUntil("SET", () -> RenewalScenes.sell(dataOfA));
    network.stall(Direction.TO_SERVER);
    network.stall(Direction.TO_CLIENT);
    stage.world("A is cut off from ZooKeeper");
    zooKeeper.expire(ofA);
    stage.world("A's session expires, and its node goes");
    ZooKeeperWire ofB = zooKeeper.connect(b, new AtomicInteger());
    b.locks(new EphemeralNode(ofB, ZooKeeperScenery.PATH, "B"));
    b.does(() -> RenewalScenes.sell(dataOfB));
    work.goesOn();
    network.heal();
    zooKeeper.shows();
    String stock = data.shows("GET", "stock");
    stage.data("two were sold of ten");
    stage.harm(Harm.LOST_UPDATE, stock.equals("9"));
  }
}
