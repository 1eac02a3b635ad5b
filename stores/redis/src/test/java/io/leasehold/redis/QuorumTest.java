package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClientBuilder;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import io.leasehold.testkit.contract.ClientTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A majority of servers, some of which are killed, stopped or cut off. */
class QuorumTest extends ClientTest {
  /** They write each lease to disk before they answer. */
  private final List<RedisServer> servers = new ArrayList<>();

  QuorumTest() {
    super("", ":");
  }

  private void start(int members) {
    while (servers.size() < members) {
      servers.add(RedisServer.of(Kind.REDIS_7_0).persistent().start());
    }
  }

  @AfterEach
  void goOn() {
    for (RedisServer server : servers) {
      server.resume();
      if (!server.process().isAlive()) {
        server.start();
      }
    }
  }

  @AfterAll
  void stop() {
    servers.forEach(RedisServer::close);
  }

  private Engine client(int members) {
    return client(members, RedisServer::url, how -> how);
  }

  private Engine client(
      int members, Function<RedisServer, String> url, UnaryOperator<LockClientBuilder> how) {
    start(members);
    String all = servers.subList(0, members).stream().map(url).collect(Collectors.joining(","));
    return clientAt("quorum:" + all + "?accept=unfenced", how);
  }

  private static ConditionFactory await() {
    return Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE);
  }

  private void requireNothingInTheStores() {
    await()
        .untilAsserted(
            () -> {
              for (RedisServer server : servers) {
                assertThat(ServerTest.keys(server, prefix() + "{*}:")).isEmpty();
              }
            });
  }

  /** One client holds, another waits; then they change places. */
  private static void handOver(Engine one, Engine two) throws Exception {
    Lease held = one.lock("a").acquire(PATIENCE);
    assertThat(two.lock("a").tryAcquire()).isEmpty();
    CompletableFuture<Lease> waiter = two.lock("a").acquireAsync(PATIENCE);
    held.release();
    served(waiter).release();
  }

  // ---- a minority

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void aMinorityThatIsKilledDoesNotMatter(int members) throws Exception {
    Engine one = client(members);
    Engine two = client(members);
    handOver(one, two);
    Lease held = one.lock("b").acquire(PATIENCE);
    int dead = members / 2;
    servers.subList(0, dead).forEach(RedisServer::kill);
    for (int i = 0; i < 5; i++) {
      handOver(one, two);
    }
    assertThat(two.lock("b").tryAcquire()).isEmpty();
    handOver(client(members), two);
    assertThat(held.isHeld()).isTrue();
    held.release();
    servers.subList(0, dead).forEach(RedisServer::start);
    requireNothingLeft(one);
    requireNothingLeft(two);
    requireNothingInTheStores();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void aMinorityThatStandsStillDelaysNobody(int members) throws Exception {
    // A request timeout would show
    UnaryOperator<LockClientBuilder> how =
        builder -> builder.requestTimeout(PATIENCE.multipliedBy(2));
    Engine one = client(members, RedisServer::url, how);
    Engine two = client(members, RedisServer::url, how);
    handOver(one, two);
    int still = members / 2;
    servers.subList(0, still).forEach(RedisServer::pause);
    for (int i = 0; i < 5; i++) {
      handOver(one, two);
    }
    servers.subList(0, still).forEach(RedisServer::resume);
    requireNothingLeft(one);
    requireNothingLeft(two);
    requireNothingInTheStores();
  }

  @Test
  void aMemberThatIsCutOffJoinsAgain() throws Exception {
    start(3);
    try (FaultProxy proxy =
        FaultProxy.to(servers.get(1).host(), servers.get(1).port(), Framing.RESP)) {
      Function<RedisServer, String> url =
          server -> server == servers.get(1) ? server.urlBy(proxy.port()) : server.url();
      Engine cut = client(3, url, how -> how);
      Engine whole = client(3);
      handOver(cut, whole);
      proxy.stall(Direction.TO_CLIENT);
      handOver(cut, whole);
      handOver(whole, cut);
      proxy.cutAll();
      proxy.refuse();
      handOver(cut, whole);
      proxy.heal();
      // The one that stayed is now needed
      servers.get(0).kill();
      await().ignoreException(StoreException.class).until(() -> isServed(cut));
      servers.get(0).start();
      requireNothingLeft(cut);
      requireNothingInTheStores();
    }
  }

  private static boolean isServed(Engine client) {
    return client.lock("a").tryAcquire().map(QuorumTest::releases).orElse(false);
  }

  private static boolean releases(Lease lease) {
    lease.release();
    return true;
  }

  // ---- a majority

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void r12AMajorityThatIsKilledIsUnavailable(int members) throws Exception {
    Engine one = client(members);
    handOver(one, client(members));
    int dead = members / 2 + 1;
    servers.subList(0, dead).forEach(RedisServer::kill);
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> one.lock("a").acquire(PATIENCE))
                    .isInstanceOfSatisfying(
                        StoreException.class,
                        e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
                    .hasMessageContaining("no majority"));
    servers.subList(0, dead).forEach(RedisServer::start);
    await().ignoreException(StoreException.class).until(() -> isServed(one));
    requireNothingLeft(one);
    requireNothingInTheStores();
  }

  @Test
  void r12AMajorityThatStandsStillIsNeverAGrant() throws Exception {
    Engine one = client(3, RedisServer::url, how -> how.requestTimeout(Duration.ofSeconds(1)));
    handOver(one, client(3));
    servers.get(0).pause();
    servers.get(2).pause();
    assertThatThrownBy(() -> one.lock("a").acquire(PATIENCE))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNKNOWN_OUTCOME));
    servers.get(0).resume();
    servers.get(2).resume();
    await().ignoreException(StoreException.class).until(() -> isServed(one));
    requireNothingLeft(one);
    requireNothingInTheStores();
  }

  @Test
  void r17ALeaseEndsByTheClockOfItsHolderWhenAMajorityIsGone() throws Exception {
    Engine one = client(3, RedisServer::url, how -> how.ttl(Duration.ofSeconds(2)));
    Lease held = one.lock("a").acquire(PATIENCE);
    CompletableFuture<Void> lost = loss(held);
    servers.get(0).pause();
    servers.get(1).pause();
    lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(held.isHeld()).isFalse();
  }

  // ---- a partition, and clocks

  /** The other side grants only when the holder has been told. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void r1TheMinoritySideOfAPartitionLosesItsLeaseBeforeTheOtherGrants(int members)
      throws Exception {
    start(members);
    List<FaultProxy> proxies = new ArrayList<>();
    Map<RedisServer, Integer> ports = new HashMap<>();
    for (RedisServer far : servers.subList(0, members / 2 + 1)) {
      FaultProxy proxy = FaultProxy.to(far.host(), far.port(), Framing.RESP);
      proxies.add(proxy);
      ports.put(far, proxy.port());
    }
    try {
      Engine minority =
          client(
              members,
              server -> ports.containsKey(server) ? server.urlBy(ports.get(server)) : server.url(),
              how -> how.ttl(Duration.ofSeconds(4)).requestTimeout(Duration.ofSeconds(1)));
      Engine majority = client(members);
      handOver(minority, majority);
      Lease held = minority.lock("a").acquire(PATIENCE);
      CompletableFuture<Void> lost = loss(held);
      CompletableFuture<Lease> waiter = majority.lock("a").acquireAsync(PATIENCE);
      CompletableFuture<Boolean> heldThen = waiter.thenApply(granted -> held.isHeld());
      assertThat(majority.lock("a").tryAcquire()).isEmpty();
      for (FaultProxy proxy : proxies) {
        proxy.stall(Direction.TO_SERVER);
        proxy.stall(Direction.TO_CLIENT);
      }
      Lease next = served(waiter);
      lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(heldThen).as("still held then").succeedsWithin(PATIENCE).isEqualTo(false);
      assertThatThrownBy(() -> minority.lock("a").acquire(PATIENCE))
          .isInstanceOf(StoreException.class);
      proxies.forEach(FaultProxy::heal);
      next.release();
      await().ignoreException(StoreException.class).until(() -> isServed(minority));
      requireNothingLeft(minority);
      requireNothingLeft(majority);
      requireNothingInTheStores();
    } finally {
      proxies.forEach(FaultProxy::close);
    }
  }

  /** There the lease has ended, and a minority is all that another client gets. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void r1AMinorityWhoseClocksAreSteppedGivesNothingAway(int members) throws Exception {
    List<RedisServer> stepped = new ArrayList<>();
    try {
      for (int i = 0; i < members / 2; i++) {
        stepped.add(RedisServer.of(Kind.REDIS_7_0).persistent().withSteppableClock().start());
      }
      start(members - stepped.size());
      List<RedisServer> all =
          Stream.concat(stepped.stream(), servers.stream().limit(members - stepped.size()))
              .toList();
      String urls = all.stream().map(RedisServer::url).collect(Collectors.joining(","));
      Engine one = clientAt("quorum:" + urls + "?accept=unfenced", how -> how);
      Engine two = clientAt("quorum:" + urls + "?accept=unfenced", how -> how);
      handOver(one, two);
      Lease held = one.lock("b").acquire(PATIENCE);
      // The slowest member may not have granted it yet, and could give it to the other client
      for (RedisServer server : all) {
        await().until(() -> !ServerTest.keys(server, prefix() + "{*}:name:b").isEmpty());
      }
      for (Duration step : List.of(Duration.ofMinutes(10), Duration.ofMinutes(-20))) {
        for (RedisServer server : stepped) {
          server.stepClock(step);
        }
        for (int i = 0; i < 10; i++) {
          assertThat(two.lock("b").tryAcquire()).isEmpty();
        }
        assertThat(held.isHeld()).isTrue();
        handOver(one, two);
      }
      held.release();
      Lease next = two.lock("b").acquire(PATIENCE);
      next.release();
      requireNothingLeft(one);
      requireNothingLeft(two);
      requireNothingInTheStores();
    } finally {
      stepped.forEach(RedisServer::close);
    }
  }

  // ---- a member that forgets

  @Test
  void r1AMemberThatMayHaveForgottenDoesNotVote() throws Exception {
    start(2);
    try (RedisServer forgetful = RedisServer.of(Kind.REDIS_7_0).start()) {
      String url =
          "quorum:" + servers.get(0).url() + "," + forgetful.url() + "," + servers.get(1).url();
      Engine client = clientAt(url + "?accept=unfenced", how -> how);
      client.lock("a").acquire(PATIENCE).release();
      assertThat(client.diagnose())
          .anySatisfy(
              found ->
                  assertThat(found.detail())
                      .contains("member 2", "may have forgotten leases", "appendonly yes"));
      servers.get(0).kill();
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> client.lock("a").acquire(PATIENCE))
                      .isInstanceOf(StoreException.class)
                      .hasMessageContaining("no majority"));
      assertThat(ServerTest.keys(forgetful, prefix())).isEmpty();
    }
  }

  /** Each connection is checked, not only the first. */
  @Test
  void r1AMemberThatRestartsWithoutItsDataDoesNotServeForALongestTtl() throws Exception {
    try (RedisServer forgetful = RedisServer.of(Kind.REDIS_7_0).start()) {
      StoreFactory member =
          new RedisStoreProvider()
              .memberFactory(
                  StoreUrl.parse(forgetful.url() + "?prefix=" + prefix()), Duration.ofSeconds(5));
      Engine client =
          await()
              .ignoreException(StoreException.class)
              .until(() -> add(Leasehold.builder(member)), opened -> true);
      client.lock("a").acquire(PATIENCE).release();
      forgetful.kill();
      forgetful.start();
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> client.lock("a").tryAcquire())
                      .hasMessageContaining("may have forgotten leases"));
      assertThat(ServerTest.keys(forgetful, prefix())).isEmpty();
      await().ignoreException(StoreException.class).until(() -> isServed(client));
    }
  }
}
