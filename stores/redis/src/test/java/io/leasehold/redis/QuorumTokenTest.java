package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import io.leasehold.testkit.contract.ClientTest;
import io.leasehold.testkit.contract.StoreFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A token that rises over servers that write each lease to disk, whichever of them are there. */
class QuorumTokenTest extends ClientTest {
  private final List<RedisServer> servers = new ArrayList<>();

  /** The token of the last grant. */
  private long last;

  QuorumTokenTest() {
    super("", ":");
  }

  private void start(int members) {
    while (servers.size() < members) {
      servers.add(RedisServer.of(Kind.REDIS_7_0).persistent().start());
    }
  }

  @AfterEach
  void goOn() {
    last = 0;
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

  /** It does not accept that there are no tokens. */
  private Engine client(int members) {
    return client(members, RedisServer::url);
  }

  private Engine client(int members, Function<RedisServer, String> url) {
    start(members);
    String all = servers.subList(0, members).stream().map(url).collect(Collectors.joining(","));
    return clientAt("quorum:" + all, how -> how);
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

  private void requireHigher(Lease lease) {
    assertThat(lease.fencingToken()).isGreaterThan(last);
    last = lease.fencingToken();
  }

  private void cycle(Engine client) {
    Lease held =
        await()
            .ignoreException(StoreException.class)
            .until(() -> client.lock("a").acquire(PATIENCE), lease -> true);
    requireHigher(held);
    held.release();
  }

  /** Lets a member give numbers of the future, of the bucket of the name. */
  private void getAhead(int member, Duration ahead) {
    long number = (System.currentTimeMillis() + ahead.toMillis()) * 1000;
    servers.get(member).command("SET", counter(), Long.toString(number));
  }

  private String counter() {
    return Command.text(new Keys(prefix()).of("a").counter());
  }

  // ---- kill -9

  /** Each time another one is down; what it missed it must not undo. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void r4ItRisesWhileOneAfterTheOtherIsKilledAndComesBack(int members) {
    Engine one = client(members);
    Engine two = client(members);
    getAhead(members - 1, Duration.ofDays(400));
    for (int i = 0; i < 2 * members; i++) {
      RedisServer dead = servers.get(i % members);
      dead.kill();
      cycle(one);
      cycle(two);
      dead.start();
    }
    assertThat(last)
        .as("as that of the one that was ahead")
        .isGreaterThan(FenceNumber.token((System.currentTimeMillis() + 30_000_000_000L) * 1000, 0));
  }

  @Test
  void r4ItRisesAfterAllWereKilledBetweenTwoGrants() {
    Engine one = client(3);
    for (int i = 0; i < 3; i++) {
      getAhead(i, Duration.ofDays(400));
      cycle(one);
      servers.forEach(RedisServer::kill);
      servers.forEach(RedisServer::start);
      cycle(one);
      cycle(client(3));
    }
  }

  /** A held lease survives it, and its token with it. */
  @Test
  void r4ALeaseOutlivesTheDeathOfAllServers() throws Exception {
    Engine one = client(3);
    Lease held = one.lock("a").acquire(PATIENCE);
    requireHigher(held);
    servers.forEach(RedisServer::kill);
    servers.forEach(RedisServer::start);
    Engine two = client(3);
    assertThat(two.lock("a").tryAcquire()).isEmpty();
    assertThat(two.list().get(0).holders().get(0).fencingToken()).isEqualTo(last);
    assertThat(two.lock("a").breakLease(last)).isTrue();
    cycle(two);
  }

  // ---- pause, partition

  @Test
  void r4ItRisesWhileOneAfterTheOtherStandsStill() {
    Engine one = client(3);
    Engine two = client(3);
    getAhead(1, Duration.ofDays(400));
    for (int i = 0; i < 6; i++) {
      RedisServer still = servers.get(i % 3);
      still.pause();
      cycle(one);
      cycle(two);
      still.resume();
    }
    requireNothingLeft(one);
    requireNothingLeft(two);
    requireNothingInTheStores();
  }

  /** Two clients, each of which reaches another majority. */
  @Test
  void r4ItRisesOverMajoritiesThatShareOneMember() throws Exception {
    start(3);
    try (FaultProxy first = proxy(0);
        FaultProxy third = proxy(2)) {
      Engine withoutThird =
          client(3, server -> server == servers.get(2) ? server.urlBy(third.port()) : server.url());
      Engine withoutFirst =
          client(3, server -> server == servers.get(0) ? server.urlBy(first.port()) : server.url());
      first.cutAll();
      first.refuse();
      third.stall(Direction.TO_SERVER);
      Random random = new Random(7);
      for (int i = 0; i < 30; i++) {
        getAhead(random.nextInt(3), Duration.ofDays(400 + i));
        cycle(random.nextBoolean() ? withoutThird : withoutFirst);
      }
      first.heal();
      third.heal();
      requireNothingLeft(withoutThird);
      requireNothingLeft(withoutFirst);
      requireNothingInTheStores();
    }
  }

  private FaultProxy proxy(int member) {
    RedisServer server = servers.get(member);
    return FaultProxy.to(server.host(), server.port(), Framing.RESP);
  }

  // ---- clocks

  /** The members' own clocks are not asked. */
  @ParameterizedTest
  @ValueSource(longs = {-100_000, 100_000})
  void r4ItRisesWhenTheClockOfAMemberIsStepped(long seconds) throws Exception {
    start(2);
    try (RedisServer stepped =
        RedisServer.of(Kind.REDIS_7_0).persistent().withSteppableClock().start()) {
      String urls =
          Stream.of(servers.get(0), stepped, servers.get(1))
              .map(RedisServer::url)
              .collect(Collectors.joining(","));
      Engine one = clientAt("quorum:" + urls, how -> how);
      cycle(one);
      stepped.stepClock(Duration.ofSeconds(seconds));
      cycle(one);
      handOver(one, clientAt("quorum:" + urls, how -> how));
      servers.get(0).kill();
      cycle(one);
      servers.get(0).start();
      servers.get(1).kill();
      cycle(one);
    }
  }

  /** By direct grants, to which each member gives a number of its own at first. */
  @Test
  void r4ItRisesFromClientToClient() throws Exception {
    Engine one = client(3);
    Engine two = client(3);
    for (int i = 0; i < 20; i++) {
      handOver(i % 2 == 0 ? one : two, i % 2 == 0 ? two : one);
    }
    requireNothingLeft(one);
    requireNothingLeft(two);
    requireNothingInTheStores();
  }

  private void handOver(Engine one, Engine two) throws Exception {
    Lease held = one.lock("a").acquire(PATIENCE);
    requireHigher(held);
    CompletableFuture<Lease> waiter = two.lock("a").acquireAsync(PATIENCE);
    await().until(() -> waits(one));
    held.release();
    Lease next = served(waiter);
    requireHigher(next);
    next.release();
  }

  private static boolean waits(Engine observer) {
    return observer.list().stream().anyMatch(lock -> !lock.waiters().isEmpty());
  }

  /** The number of a lease with which no waiter can be is part of its key. */
  @ParameterizedTest
  @EnumSource(names = {"REDIS_8_0", "VALKEY_9"})
  void aRaisedNumberIsTheOneThatANativeCommandCompares(Kind kind) throws Exception {
    List<RedisServer> three =
        Stream.generate(() -> RedisServer.of(kind).persistent().start()).limit(3).toList();
    try {
      String urls = three.stream().map(RedisServer::url).collect(Collectors.joining(","));
      Engine one = clientAt("quorum:" + urls, how -> how);
      three.get(0).command("SET", counter(), "9000000000000000");
      three.get(1).kill();
      for (int i = 0; i < 3; i++) {
        cycle(one);
      }
      requireNothingLeft(one);
      assertThat(ServerTest.keys(three.get(2), prefix() + "{*}:name:")).isEmpty();
      assertThat(three.get(2).command("GET", counter()).toString()).contains("9000000000000003");
    } finally {
      three.forEach(RedisServer::close);
    }
  }

  // ---- what it costs

  /** As without tokens. A request is one script; each is waited for, so that none is withdrawn. */
  @Test
  void aFreePairIsTwoRequestsToEachServer() throws Exception {
    Engine one = client(3);
    cycle(one);
    requireNothingInTheStores();
    List<CommandCounts> counts = servers.stream().limit(3).map(CommandCounts::from).toList();
    for (int i = 0; i < 50; i++) {
      Lease held = one.lock("a").acquire(PATIENCE);
      requireHigher(held);
      await().until(this::isHeldWithAll);
      held.release();
      requireNothingInTheStores();
    }
    assertThat(counts).allSatisfy(count -> assertThat(count.of("evalsha")).isEqualTo(100));
  }

  private boolean isHeldWithAll() {
    return servers.stream()
        .limit(3)
        .noneMatch(server -> ServerTest.keys(server, prefix() + "{*}:name:").isEmpty());
  }

  // ---- a server that forgets

  @ParameterizedTest
  @ValueSource(strings = {"appendonly no", "appendfsync everysec", "no-appendfsync-on-rewrite yes"})
  void r15AServerThatMayForgetIsNoMemberWithTokens(String setting) {
    try (RedisServer forgetful =
        RedisServer.of(Kind.REDIS_7_0).persistent().config(setting).start()) {
      assertThat(traits(forgetful)).contains(Trait.FENCING).doesNotContain(Trait.SURVIVES_RESTART);
    }
    start(1);
    assertThat(traits(servers.get(0))).contains(Trait.FENCING, Trait.SURVIVES_RESTART);
  }

  /** As soon as it has run for a moment: here no lease lives longer. */
  private static Set<Trait> traits(RedisServer server) {
    StoreFactory member =
        new RedisStoreProvider().memberFactory(StoreUrl.parse(server.url()), Duration.ZERO);
    return await()
        .ignoreException(StoreException.class)
        .until(() -> new StoreFixture(member).traits(), Optional::isPresent)
        .orElseThrow()
        .has();
  }

  /** Whatever its uptime: numbers are kept for longer than leases live. */
  @Test
  void r4AServerThatBeginsToForgetIsDownForAQuorumWithTokens() throws Exception {
    start(2);
    try (RedisServer changed = RedisServer.of(Kind.REDIS_7_0).persistent().start()) {
      String urls =
          Stream.of(servers.get(0), changed, servers.get(1))
              .map(RedisServer::url)
              .collect(Collectors.joining(","));
      Engine one = clientAt("quorum:" + urls, how -> how);
      cycle(one);
      changed.command("CONFIG", "SET", "appendfsync", "everysec");
      changed.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      cycle(one);
      servers.get(1).kill();
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> one.lock("a").acquire(PATIENCE))
                      .isInstanceOf(StoreException.class)
                      .hasMessageContaining("no majority"));
      changed.command("CONFIG", "SET", "appendfsync", "always");
      cycle(one);
    }
  }
}
