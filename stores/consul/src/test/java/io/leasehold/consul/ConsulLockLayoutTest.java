package io.leasehold.consul;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.LockSnapshot;
import io.leasehold.LockSnapshot.Holder;
import io.leasehold.LockTimeoutException;
import io.leasehold.MissingTraitException;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.servers.JavaProcess;
import io.leasehold.servers.LockTool;
import io.leasehold.sessions.Entry;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractRun;
import io.leasehold.testkit.contract.ScoreCard;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.StoreFixture;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjIntConsumer;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Side by side with {@code consul lock}, the real one. */
class ConsulLockLayoutTest extends ServerTest {
  private static final String LAYOUT = "?layout=consul";
  private static final Duration BRIEF = Duration.ofSeconds(2);

  /** A session of consul lock may live for 30 s without it; the lock delay is 15 s. */
  private static final Duration AFTER_A_CRASH = Duration.ofMinutes(2);

  private static final StoreListener SILENT =
      new StoreListener() {
        @Override
        public void wake(LeaseId id) {}

        @Override
        public void reconnected() {}

        @Override
        public void lost(Collection<LeaseId> ids) {}
      };

  ConsulLockLayoutTest() {
    super(ConsulServer.configured().shortestTtl(Duration.ofSeconds(1)).start());
  }

  private Engine layoutClient() {
    return clientAt(server.url() + LAYOUT, how -> how);
  }

  private LockTool consulLock(String name) {
    return server.consulLock(prefix() + name);
  }

  /** What stands under a name. */
  private JSONObject key(String name) {
    return new JSONArray(server.get("/v1/kv/" + prefix() + name + "/.lock")).getJSONObject(0);
  }

  /** How many sessions have a name that contains this. */
  private long sessions(String name) {
    return Pattern.compile("\"Name\": *\"[^\"]*" + Pattern.quote(name))
        .matcher(server.get("/v1/session/list"))
        .results()
        .count();
  }

  private void awaitTheirs(String name) {
    await().atMost(PATIENCE).until(() -> sessions(name) == 1);
  }

  /** The session that has locked a name. */
  private String holder(String name) {
    return key(name).getString("Session");
  }

  private void awaitEnd(String session) {
    await().atMost(PATIENCE).until(() -> !server.get("/v1/session/list").contains(session));
  }

  @Test
  void whoHoldsKeepsTheOtherOutAndIsFollowedByIt() throws Exception {
    Engine client = layoutClient();
    CompletableFuture<Lease> waiter;
    try (LockTool theirs = consulLock("a").awaitHeld()) {
      assertThatThrownBy(() -> client.lock("a").acquire(ANSWERED))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("session");
      assertThat(client.lock("a").tryAcquire()).isEmpty();
      waiter = client.lock("a").acquireAsync(PATIENCE);
      await().atMost(PATIENCE).until(() -> client.ledger().waiters() == 1);
      assertThat(waiter).isNotDone();
      theirs.end();
    }
    Lease ours = served(waiter);
    try (LockTool theirs = consulLock("a")) {
      awaitTheirs(prefix() + "a");
      assertThat(theirs.hasHeld()).isFalse();
      ours.release();
      theirs.awaitHeld();
      assertThat(client.lock("a").tryAcquire()).isEmpty();
    }
    requireNothingLeft(client);
  }

  /** Both at once, because it takes long. */
  @Test
  void whoIsKilledIsFollowedByTheOther() throws Exception {
    Engine client = layoutClient();
    try (LockTool killed = consulLock("b").awaitHeld();
        JavaProcess puppet =
            JavaProcess.start(
                Puppet.class, server.url() + LAYOUT + "&prefix=" + prefix(), BRIEF.toString())) {
      puppet.await("ready");
      puppet.say("acquire unfair");
      puppet.await("acquired");
      CompletableFuture<Lease> waiter = client.lock("b").acquireAsync(AFTER_A_CRASH);
      try (LockTool theirs = consulLock("a")) {
        awaitTheirs(prefix() + "a");
        killed.kill();
        puppet.signal("KILL");
        assertThat(theirs.hasHeld()).isFalse();
        theirs.awaitHeld();
        assertThat(waiter).succeedsWithin(AFTER_A_CRASH);
        waiter.join().release();
      }
    }
  }

  @Test
  void aClosedClientLeavesNothing() throws Exception {
    Engine client = layoutClient();
    client.lock("a").acquire();
    String session = holder("a");
    try (LockTool theirs = consulLock("a")) {
      awaitTheirs(prefix() + "a");
      client.close();
      theirs.awaitHeld();
    }
    awaitEnd(session);
  }

  /** Though each removes the key. */
  @Test
  void theTokenRisesOverTheLocksOfOthers() throws Exception {
    Engine client = layoutClient();
    Lease before = client.lock("a").acquire();
    before.release();
    long theirs;
    try (LockTool other = consulLock("a").awaitHeld()) {
      theirs = FenceNumber.token(key("a").getLong("ModifyIndex"), 0);
      other.end();
    }
    Lease after = client.lock("a").acquire();
    assertThat(theirs).isBetween(before.fencingToken() + 1, after.fencingToken() - 1);
    after.release();
  }

  @Test
  void anOperatorSeesTheHoldersOfBothAndBreaksTheirLocks() throws Exception {
    Engine client = layoutClient();
    Engine observer = layoutClient();
    Lease ours = client.lock("a/b").acquire();
    CompletableFuture<Void> lost = loss(ours);
    server.put("/v1/kv/" + prefix() + "config/.lock", "of a stranger");
    try (LockTool theirs = consulLock("c").awaitHeld();
        LockTool several = server.consulLock(prefix() + "d", "-n=2").awaitHeld()) {
      assertThat(several.hasHeld()).isTrue();
      List<LockSnapshot> all = observer.list();
      assertThat(all).extracting(LockSnapshot::name).containsExactly("a/b", "c");
      Holder our = all.get(0).holders().get(0);
      assertThat(our.fencingToken()).isEqualTo(ours.fencingToken());
      assertThat(our.holder()).contains(String.valueOf(ProcessHandle.current().pid()));
      assertThat(our.leaseId()).isEqualTo(ours.leaseId());
      Holder their = observer.lock("c").inspect().orElseThrow().holders().get(0);
      assertThat(their.holder()).isEqualTo("session " + holder("c"));
      assertThat(their.leaseId()).isEqualTo(holder("c").replace("-", ""));

      assertThat(observer.lock("c").breakLease(our.fencingToken())).isFalse();
      assertThat(observer.lock("c").breakLease(their.fencingToken())).isTrue();
      Lease next = client.lock("c").acquire(PATIENCE);
      assertThat(next.fencingToken()).isGreaterThan(their.fencingToken());
      assertThat(observer.lock("c").breakLease(their.fencingToken())).isFalse();
      assertThat(next.isHeld()).isTrue();
      next.release();
      assertThat(observer.lock("c").inspect()).isEmpty();

      assertThatThrownBy(() -> observer.lock("d").inspect())
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED));
      assertThatThrownBy(() -> observer.lock("a//b").inspect())
          .hasMessageContaining("cannot be shared with consul lock");
    }
    assertThat(lost).isNotDone();
    ours.release();
    assertThat(observer.list()).isEmpty();
  }

  /** The key has changed between the look of the operator and the removal. */
  @Test
  void aLeaseThatIsNotTheCurrentOneIsNotBroken() throws Exception {
    Engine client = layoutClient();
    Lease held = client.lock("a").acquire();
    try (ConsulLockStore store =
        (ConsulLockStore)
            new ConsulStoreProvider()
                .factory(StoreUrl.parse(server.url() + LAYOUT + "&prefix=" + prefix()))
                .open(SILENT)) {
      Entry seen =
          store.list(Optional.of("a"), PATIENCE).toCompletableFuture().get(1, MINUTES).get(0);
      held.release();
      Lease next = client.lock("a").acquire();
      assertThat(store.remove(seen, PATIENCE).toCompletableFuture().get(1, MINUTES)).isFalse();
      assertThat(next.isHeld()).isTrue();
      assertThat(holder("a")).isNotEmpty();
      next.release();
      assertThat(store.remove(seen, PATIENCE).toCompletableFuture().get(1, MINUTES)).isFalse();
    }
  }

  @Test
  void readersPermitsAndOrderAreRefused() {
    Engine client = layoutClient();
    assertThatThrownBy(() -> client.readWriteLock("a").readLock().tryAcquire())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("layout=consul")
        .hasMessageContaining("read locks");
    assertThatThrownBy(() -> client.semaphore("a", 2).tryAcquire())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("layout=consul")
        .hasMessageContaining("semaphores");
    assertThatThrownBy(() -> client.lock("a").with(LockOptions.defaults().fair()).acquire(PATIENCE))
        .isInstanceOf(MissingTraitException.class)
        .hasMessageContaining("layout=consul");
  }

  @Test
  void anotherLayoutIsRefused() {
    assertThatThrownBy(() -> Leasehold.connect(server.url() + "?layout=etcd"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("layout=consul");
  }

  /** For consul lock it is another path, or none. */
  @ParameterizedTest
  @ValueSource(strings = {"/a", "a/", "a//b", "a/./b", "../a", "a\nb"})
  void aNameThatConsulLockDoesNotKeepIsRefused(String name) {
    Engine client = layoutClient();
    assertThatThrownBy(() -> client.lock(name).tryAcquire())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining("cannot be shared with consul lock");
    requireNothingLeft(client);
  }

  @Test
  void aSemaphoreOfConsulLockIsRefusedAndLeftAlone() {
    Engine client = layoutClient();
    try (LockTool theirs = server.consulLock(prefix() + "a", "-n=2").awaitHeld()) {
      long index = key("a").getLong("ModifyIndex");
      assertThatThrownBy(() -> client.lock("a").tryAcquire())
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
          .hasMessageContaining("a/.lock");
      assertThat(key("a").getLong("ModifyIndex")).isEqualTo(index);
      assertThat(theirs.hasHeld()).isTrue();
    }
    requireNothingLeft(client);
  }

  @Test
  void anyOtherNameIsTaken() throws Exception {
    Engine client = layoutClient();
    String name = "jobs/ä 日本 %2F?#&+'\"";
    Lease held = client.lock(name).acquire();
    assertThat(server.get(Agent.path(prefix() + name + "/.lock"))).contains("Session");
    assertThat(layoutClient().lock(name).tryAcquire()).isEmpty();
    try (LockTool theirs = consulLock(name)) {
      awaitTheirs("jobs/");
      held.release();
      theirs.awaitHeld();
      assertThat(client.lock(name).tryAcquire()).isEmpty();
    }
  }

  @Test
  void whoseKeyIsRemovedLearnsIt() throws Exception {
    Engine client = clientAt(server.url() + LAYOUT, how -> how.ttl(BRIEF));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Void> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(null));
    String session = holder("a");
    server.delete("/v1/kv/" + prefix() + "a/.lock");
    assertThat(lost).succeedsWithin(PATIENCE);
    assertThat(held.isHeld()).isFalse();
    client.lock("a").acquire(PATIENCE).release();
    requireNothingLeft(client);
    awaitEnd(session);
  }

  /** A repeated lock would move the index, and another session would wait for the lock delay. */
  @Test
  void aLostReplyOfTheLockIsAnsweredByReading() throws Exception {
    String session;
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.HTTP)) {
      Engine client = clientAt(server.urlBy(proxy.port()) + LAYOUT, how -> how);
      // A look at the key, a session, the lock
      proxy.cutAfter(proxy.requests() + 2);
      Lease held = client.lock("a").acquire(PATIENCE);
      assertThat(proxy.cuts()).isEqualTo(1);
      assertThat(FenceNumber.number(held.fencingToken()))
          .isEqualTo(key("a").getLong("CreateIndex"));
      assertThat(key("a").getLong("ModifyIndex")).isEqualTo(key("a").getLong("CreateIndex"));
      assertThat(key("a").getLong("LockIndex")).isEqualTo(1);
      session = holder("a");
      held.release();
      requireNothingLeft(client);
    }
    awaitEnd(session);
  }

  @Test
  void anyRequestMayBeLost() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.HTTP)) {
      int points = 0;
      for (ObjIntConsumer<FaultProxy> cut :
          List.<ObjIntConsumer<FaultProxy>>of(FaultProxy::cutBefore, FaultProxy::cutAfter)) {
        boolean hasBegun = true;
        for (int index = 0; hasBegun; index++) {
          hasBegun = lose(proxy, cut, index);
          points += hasBegun ? 1 : 0;
        }
      }
      assertThat(points).isGreaterThanOrEqualTo(2 * 5);
    }
  }

  private boolean lose(FaultProxy proxy, ObjIntConsumer<FaultProxy> cut, int index)
      throws Exception {
    Engine client = clientAt(server.urlBy(proxy.port()) + LAYOUT, how -> how);
    int lost = proxy.requests() + index;
    cut.accept(proxy, lost);
    String name = "lock " + index;
    try {
      client.lock(name).acquire(PATIENCE).release();
    } catch (StoreException told) {
      assertThat(told.failure()).isNotEqualTo(Failure.REFUSED);
    }
    boolean hasBegun = proxy.requests() > lost;
    proxy.heal();
    layoutClient().lock(name).acquire(PATIENCE).release();
    requireNothingLeft(client);
    closeClients();
    return hasBegun;
  }

  /** Without those that wait for the end of a ttl, which a lock delay follows. */
  @Test
  void thePromisesHold() throws Exception {
    ScoreCard card =
        ContractRun.on(() -> new Fixture(server))
            .withTestsAtOnce(4)
            .only(test -> test.matches("R(01|03|09|11|12)_.*"))
            .run();
    assertThat(card.ended(Outcome.FAILED)).as(card.table()).isEmpty();
    assertThat(card.ended(Outcome.PASSED)).as(card.table()).hasSizeGreaterThan(20);
  }

  private static final class Fixture extends StoreFixture {
    Fixture(ConsulServer server) {
      super(
          new ConsulStoreProvider()
              .factory(
                  StoreUrl.parse(server.url() + LAYOUT + "&prefix=" + UUID.randomUUID() + "/")));
      without(Ability.REMAINING, "Consul does not tell when a session was last renewed");
    }
  }
}
