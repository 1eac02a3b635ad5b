package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockSnapshot;
import io.leasehold.LockSnapshot.Holder;
import io.leasehold.LockTimeoutException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import io.leasehold.servers.LockTool;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractRun;
import io.leasehold.testkit.contract.ScoreCard;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.StoreFixture;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Side by side with {@code etcdctl lock}, the real one. */
class EtcdctlLayoutTest extends EtcdTest {
  private static final String LAYOUT = "?layout=etcd";
  private static final Duration SHORT = Duration.ofSeconds(2);

  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).start();

  @AfterAll
  void stop() {
    server.close();
  }

  private Engine client() {
    return clientAt(server.url() + LAYOUT);
  }

  private LockTool etcdctl(String name) {
    return server.etcdctlLock(prefix() + name, "--ttl=600");
  }

  private static Holder holder(DistributedLock lock) {
    return lock.inspect().orElseThrow().holders().get(0);
  }

  /** So that what comes next arrives after it. */
  private static void awaitWaiters(Engine observer, String name, int count) {
    await().atMost(PATIENCE).until(() -> waiters(observer.lock(name)) == count);
  }

  @Test
  void whoHoldsKeepsTheOtherOut() throws Exception {
    keepsOut(server);
  }

  @Test
  void whoHoldsKeepsTheOtherOutOnEtcd34() throws Exception {
    try (EtcdServer older = EtcdServer.of(Kind.ETCD_3_4).start()) {
      keepsOut(older);
    }
  }

  private void keepsOut(EtcdServer on) throws Exception {
    Engine client = clientAt(on.url() + LAYOUT);
    try (LockTool theirs = on.etcdctlLock(prefix() + "a").awaitHeld()) {
      assertThat(client.lock("a").tryAcquire()).isEmpty();
      theirs.end();
    }
    Lease ours = client.lock("a").tryAcquire().orElseThrow();
    try (LockTool theirs = on.etcdctlLock(prefix() + "a")) {
      awaitWaiters(client, "a", 1);
      assertThat(theirs.hasHeld()).isFalse();
      ours.release();
      theirs.awaitHeld();
      assertThat(client.lock("a").tryAcquire()).isEmpty();
    }
  }

  @Test
  void theLockGoesToAllInTheOrderOfTheirArrival() throws Exception {
    Engine observer = client();
    Lease first = client().lock("a").acquire();
    try (LockTool second = etcdctl("a")) {
      awaitWaiters(observer, "a", 1);
      CompletableFuture<Lease> third = beginToWait(client().lock("a"), observer, 2);
      try (LockTool fourth = etcdctl("a")) {
        awaitWaiters(observer, "a", 3);
        CompletableFuture<Lease> fifth = beginToWait(client().lock("a"), observer, 4);
        first.release();
        second.awaitHeld();
        assertThat(third).isNotDone();
        second.end();
        Lease held = served(third);
        assertThat(fourth.hasHeld()).isFalse();
        assertThat(fifth).isNotDone();
        held.release();
        fourth.awaitHeld();
        assertThat(fifth).isNotDone();
        fourth.end();
        served(fifth).release();
      }
    }
  }

  @Test
  void aKilledEtcdctlIsFollowedByOurs() throws Exception {
    Engine client = client();
    try (LockTool theirs = server.etcdctlLock(prefix() + "a", "--ttl=2").awaitHeld()) {
      CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client, 1);
      assertThat(waiter).isNotDone();
      theirs.kill();
      served(waiter).release();
    }
  }

  @Test
  void ourClosedClientIsFollowedByEtcdctl() throws Exception {
    Engine client = client();
    client.lock("a").acquire();
    try (LockTool theirs = etcdctl("a")) {
      awaitWaiters(client, "a", 1);
      client.close();
      theirs.awaitHeld();
    }
  }

  /** As a client whose process was killed, or whose host is gone. */
  @Test
  void ourClientThatIsCutOffIsFollowedByEtcdctl() throws Exception {
    FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), new Http2Framing());
    try (proxy) {
      Engine client = clientAt(server.urlBy(proxy.port()) + LAYOUT, how -> how.ttl(SHORT));
      Lease ours = client.lock("a").acquire();
      try (LockTool theirs = etcdctl("a")) {
        awaitWaiters(client(), "a", 1);
        proxy.close();
        theirs.awaitHeld();
        assertThat(ours.isHeld()).isFalse();
      }
    }
  }

  @Test
  void theTokenRisesOverThoseOfEtcdctl() throws Exception {
    Engine client = client();
    Lease before = client.lock("a").acquire();
    before.release();
    long theirToken;
    try (LockTool theirs = etcdctl("a").awaitHeld()) {
      theirToken = holder(client.lock("a")).fencingToken();
      theirs.end();
    }
    Lease after = client.lock("a").acquire();
    assertThat(theirToken).isBetween(before.fencingToken() + 1, after.fencingToken() - 1);
    after.release();
  }

  @Test
  void readersAndPermitsAreRefused() {
    Engine client = client();
    assertThatThrownBy(() -> client.readWriteLock("a").readLock().tryAcquire())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("layout=etcd")
        .hasMessageContaining("read locks");
    assertThatThrownBy(() -> client.semaphore("a", 2).tryAcquire())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("layout=etcd")
        .hasMessageContaining("semaphores");
  }

  @Test
  void anotherLayoutIsRefused() {
    assertThatThrownBy(() -> Leasehold.connect(server.url() + "?layout=consul"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("layout=etcd");
  }

  @Test
  void anyKeyBelowTheNameIsInTheWayUntilItIsGone() throws Exception {
    Engine client = client();
    server.etcdctl("put", prefix() + "a/note", "of a stranger");
    assertThatThrownBy(() -> client.lock("a").acquire(ANSWERED))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("of a stranger");
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client, 1);
    // A change is no end
    server.etcdctl("put", prefix() + "a/note", "of another");
    await().atMost(PATIENCE).until(() -> holder(client.lock("a")).holder().equals("of another"));
    assertThat(waiter).isNotDone();
    server.etcdctl("del", prefix() + "a/note");
    served(waiter).release();
    requireNothingLeft(client);
  }

  @Test
  void aHolderIsShownByTheLastPartOfItsKeyIfItsValueIsNoText() {
    Engine client = client();
    server.etcdctl("put", prefix() + "a/note", "\u0007");
    assertThat(holder(client.lock("a")).holder()).isEqualTo("note");
    try (LockTool theirs = etcdctl("b").awaitHeld()) {
      assertThat(holder(client.lock("b")).holder()).matches("[0-9a-f]{8,16}");
      assertThat(theirs.hasHeld()).isTrue();
    }
  }

  /** For etcdctl it is the same. */
  @Test
  void aLockBelowTheNameIsInTheWay() throws Exception {
    Engine client = client();
    Lease inner = client.lock("a/b").acquire();
    assertThat(client().lock("a").tryAcquire()).isEmpty();
    Lease beside = client.lock("ab").acquire();
    beside.release();
    inner.release();
    client.lock("a").acquire().release();
  }

  @Test
  void whatIsOfALockIsListedAndAnythingElseIsNot() throws Exception {
    Engine client = client();
    server.etcdctl("put", prefix() + "config/of/it", "something");
    server.etcdctl("put", prefix() + "config", "something");
    try (Lease ours = client.lock("a b/%2F").acquire();
        LockTool theirs = etcdctl("c").awaitHeld()) {
      assertThat(client.list()).extracting(LockSnapshot::name).containsExactly("a b/%2F", "c");
      assertThat(holder(client.lock("a b/%2F")).fencingToken()).isEqualTo(ours.fencingToken());
      assertThat(theirs.hasHeld()).isTrue();
    }
  }

  @Test
  void withoutAPrefixTheNameIsTheKey() throws Exception {
    String name = "/jobs/" + UUID.randomUUID();
    try (Engine client = (Engine) Leasehold.connect(server.url() + LAYOUT);
        LockTool theirs = server.etcdctlLock(name).awaitHeld()) {
      assertThat(client.lock(name).tryAcquire()).isEmpty();
      assertThat(client.list()).extracting(LockSnapshot::name).contains(name);
      theirs.end();
      client.lock(name).acquire(PATIENCE).release();
    }
  }

  @Test
  void anOperatorBreaksTheLockOfEtcdctl() throws Exception {
    Engine client = client();
    try (LockTool theirs = etcdctl("a").awaitHeld()) {
      assertThat(client.lock("a").breakLease(holder(client.lock("a")).fencingToken())).isTrue();
      assertThat(theirs.hasHeld()).isTrue();
      client.lock("a").tryAcquire().orElseThrow().release();
    }
  }

  /** It stands below no name, so it is in the way of nothing. */
  @Test
  void theMarkOfWhatWasTakenBackIsBelowNoName() {
    assertThat(new EtcdctlKeys(Optional.empty()).withdrawn(new LeaseId(1, 2)).toStringUtf8())
        .doesNotContain("/");
  }

  /** All but that names are strange to each other: one below another is not. */
  @Test
  void thePromisesHold() throws Exception {
    ScoreCard card =
        ContractRun.on(() -> new Fixture(server))
            .withTestsAtOnce(4)
            .only(test -> test.matches("R(01|03|04|06|08|09|11|12)_.*"))
            .run();
    assertThat(card.ended(Outcome.FAILED)).as(card.table()).isEmpty();
    assertThat(card.ended(Outcome.PASSED)).as(card.table()).hasSizeGreaterThan(30);
  }

  private static final class Fixture extends StoreFixture {
    Fixture(EtcdServer server) {
      super(
          new EtcdStoreProvider()
              .factory(
                  StoreUrl.parse(server.url() + LAYOUT + "&prefix=" + UUID.randomUUID() + "/")));
      without(Ability.REMAINING, "etcd says it in whole seconds");
    }
  }
}
