package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.LockException;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisSentinels;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.contract.ClientTest;
import io.lettuce.core.RedisClient;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.RedisSentinelClient;

/** The primary is the one that Sentinels name. */
class SentinelTest {
  private static final String PASSWORD = "geheim/%40";

  @Nested
  class OverJedis extends Failovers {
    @Override
    Engine client() {
      return clientAt(fleet.url(), how -> how);
    }
  }

  @Nested
  class OverLettuce extends Failovers {
    private final List<RedisClient> clients = new ArrayList<>();

    @Override
    Engine client() {
      RedisClient client = Lettuce.at(fleet, PASSWORD);
      clients.add(client);
      return add(
          Leasehold.builder(LettuceStores.using(client, prefix())).ttl(Duration.ofMinutes(10)));
    }

    @AfterAll
    void shutdown() {
      clients.forEach(RedisClient::shutdown);
    }
  }

  @Nested
  class OverASentinelClient extends Failovers {
    private final List<RedisSentinelClient> clients = new ArrayList<>();

    @Override
    Engine client() {
      RedisSentinelClient client =
          RedisSentinelClient.builder()
              .masterName(RedisSentinels.NAME)
              .sentinels(places(fleet))
              .clientConfig(config(PASSWORD))
              .build();
      clients.add(client);
      return add(
          Leasehold.builder(RedisStores.using(client, prefix())).ttl(Duration.ofMinutes(10)));
    }

    /** It believes the first Sentinel that answers, and hears of the failover from the others. */
    @Override
    void requireNotAt(RedisServer replaced) {
      requireLeft(replaced);
    }

    @AfterAll
    void shutdown() {
      clients.forEach(RedisSentinelClient::close);
    }
  }

  private static Set<HostAndPort> places(RedisSentinels fleet) {
    return fleet.sentinels().stream()
        .map(each -> new HostAndPort(each.host(), each.port()))
        .collect(Collectors.toSet());
  }

  private static JedisClientConfig config(String password) {
    return DefaultJedisClientConfig.builder().password(password).clientName("leasehold").build();
  }

  abstract static class Fleets extends ClientTest {
    final RedisSentinels fleet;

    Fleets(RedisSentinels fleet) {
      super("", ":");
      this.fleet = fleet;
    }

    @BeforeEach
    void awaitAgreement() {
      fleet.awaitAgreement();
    }

    @AfterAll
    void close() {
      fleet.close();
    }

    /** A Sentinel that gives a server another primary closes the connections to the server. */
    final void requireLeft(RedisServer before) {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .ignoreException(UncheckedIOException.class)
          .untilAsserted(
              () ->
                  assertThat((String) before.command("CLIENT", "LIST"))
                      .doesNotContain("name=leasehold"));
    }

    /** After another failover, see {@link #requireLeft}. */
    final void awaitReplicated(RedisServer primary) {
      Object wrote = primary.command("SET", prefix() + "mark", "1");
      assertThat(wrote).isEqualTo("OK");
      for (RedisServer replica : fleet.servers()) {
        await()
            .atMost(PATIENCE)
            .ignoreException(UncheckedIOException.class)
            .until(() -> replica.command("GET", prefix() + "mark").equals("1"));
      }
    }
  }

  /** The servers have a password, the Sentinels have none. */
  abstract static class Failovers extends Fleets {
    Failovers() {
      super(RedisSentinels.of(Kind.REDIS_7_0).replicas(2).password(PASSWORD).start());
    }

    abstract Engine client();

    @Test
    void aPlannedFailoverUnderContenders() throws Exception {
      List<Engine> clients = List.of(client(), client());
      AtomicBoolean ending = new AtomicBoolean();
      List<AtomicInteger> grants = new ArrayList<>();
      List<CompletableFuture<Void>> contenders = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        AtomicInteger count = new AtomicInteger();
        grants.add(count);
        contenders.add(contend(clients.get(i % 2), count, ending));
      }
      await().atMost(PATIENCE).until(() -> grants.stream().allMatch(one -> one.get() > 0));
      RedisServer before = fleet.primary();
      fleet.failOver();
      requireLeft(before);
      grants.forEach(count -> count.set(0));
      await().atMost(PATIENCE).until(() -> grants.stream().allMatch(one -> one.get() > 0));
      assertThat(contenders).noneMatch(CompletableFuture::isDone);
      ending.set(true);
      contenders.forEach(one -> assertThat(one).succeedsWithin(PATIENCE));
      clients.forEach(ClientTest::requireNothingLeft);
    }

    private static CompletableFuture<Void> contend(
        Engine client, AtomicInteger grants, AtomicBoolean ending) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                while (!ending.get()) {
                  try {
                    client.lock("a").acquire(PATIENCE).release();
                    grants.incrementAndGet();
                  } catch (LockException | LeaseLostException e) {
                    // The primary changes, and forgets what was not replicated
                  } catch (InterruptedException | RuntimeException e) {
                    done.completeExceptionally(e);
                    return;
                  }
                }
                done.complete(null);
              });
      thread.start();
      return done;
    }

    /** An idle client goes as well, and before Sentinel has demoted the old primary. */
    @Test
    void aReplacedPrimaryIsLeftBeforeItIsDemoted() throws Exception {
      Engine client = client();
      Lease held = client.lock("held").acquire();
      Lease busy = client.lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
      RedisServer before = fleet.primary();
      awaitReplicated(before);
      CommandCounts counts = CommandCounts.from(before);
      fleet.failOver();
      requireLeft(before);
      assertThat(counts.of("replicaof") + counts.of("slaveof")).as("it is not demoted").isZero();
      held.ensureHeld(held.remaining().plusNanos(1));
      held.release();
      busy.release();
      served(waiter).release();
      requireNothingLeft(client);
    }

    /** The new primary knows the grant and not the release, and would keep the lease to its end. */
    @Test
    void aReleaseThatWasNotReplicatedIsDoneAgain() throws Exception {
      Engine client = client();
      Engine other = client();
      Lease held = client.lock("a").acquire();
      RedisServer before = fleet.primary();
      awaitReplicated(before);
      List<RedisServer> replicas = fleet.replicas();
      replicas.forEach(each -> setting(each, "masterauth", "wrong"));
      try {
        assertThat((Long) before.command("CLIENT", "KILL", "TYPE", "replica")).isEqualTo(2);
        held.release();
        fleet.failOver();
      } finally {
        replicas.forEach(each -> setting(each, "masterauth", PASSWORD));
      }
      requireLeft(before);
      Lease next = other.lock("a").acquire(PATIENCE);
      assertThat(next.isHeld()).isTrue();
      next.release();
      requireNothingLeft(client);
      requireNothingLeft(other);
    }

    /** During a failover, see {@link #requireLeft}: a value that stays fails all later tests. */
    private void setting(RedisServer server, String name, String value) {
      await()
          .atMost(PATIENCE)
          .ignoreException(UncheckedIOException.class)
          .until(() -> server.command("CONFIG", "SET", name, value).equals("OK"));
    }

    /** While Sentinel still turns the other replicas to it. */
    @Test
    void aClientThatConnectsDuringAFailoverFindsTheNewPrimary() throws Exception {
      RedisServer before = fleet.primary();
      fleet.failOver();
      Engine client = client();
      requireNotAt(before);
      client.lock("a").acquire().release();
      requireNotAt(before);
      requireNothingLeft(client);
    }

    void requireNotAt(RedisServer replaced) {
      assertThat((String) replaced.command("CLIENT", "LIST")).doesNotContain("name=leasehold");
    }

    @Test
    void thePrimaryIsKilled() throws Exception {
      Engine client = client();
      Lease held = client.lock("held").acquire();
      Lease busy = client.lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
      RedisServer before = fleet.primary();
      awaitReplicated(before);
      before.kill();
      fleet.awaitPrimaryBut(before);
      await()
          .atMost(PATIENCE)
          .ignoreException(StoreException.class)
          .untilAsserted(() -> held.ensureHeld(held.remaining().plusNanos(1)));
      assertThat(held.isHeld()).isTrue();
      held.release();
      busy.release();
      served(waiter).release();
      requireNothingLeft(client);
      comeBack(before);
    }

    /** What was sent to it has no answer, and is not sent to it again. */
    @Test
    void thePrimaryStandsStill() throws Exception {
      Engine client = client();
      client.lock("a").acquire().release();
      RedisServer before = fleet.primary();
      awaitReplicated(before);
      before.pause();
      // A call fails if there is no new primary in the time that it has for its first answer
      Lease held =
          await()
              .atMost(PATIENCE)
              .ignoreException(StoreException.class)
              .until(() -> client.lock("a").acquire(PATIENCE), Objects::nonNull);
      fleet.awaitPrimaryBut(before);
      comeBack(before);
      assertThat(client().lock("a").tryAcquire()).isEmpty();
      assertThat(held.isHeld()).isTrue();
      held.release();
      requireNothingLeft(client);
    }

    /** As a replica, which the other tests need. */
    private void comeBack(RedisServer server) {
      if (server.process().isAlive()) {
        server.resume();
      } else {
        server.start();
      }
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(() -> "up".equals(server.info("replication").get("master_link_status")));
    }

    @Test
    void anUnknownNameIsRefusedByName() {
      assertThatThrownBy(() -> clientAt(fleet.url() + "x", how -> how))
          .satisfies(told -> requireFailure(told, Failure.REFUSED))
          .hasMessageContaining("knows no primary 'mainx'");
    }

    @Test
    void theDatabaseIsThatOfTheUrl() throws Exception {
      Engine client = clientAt(fleet.url() + "/3", how -> how);
      try (Lease held = client.lock("a").acquire()) {
        assertThat(held.isHeld()).isTrue();
        assertThat(fleet.primary().info("keyspace")).containsKey("db3");
      }
    }

    @Test
    void aWrongPasswordOfTheServersIsRefusedWithoutShowingIt() {
      String url = "redis+sentinel://:s3cret@" + fleet.hosts() + "/main";
      assertThatThrownBy(() -> clientAt(url, how -> how))
          .satisfies(told -> requireFailure(told, Failure.REFUSED))
          .hasMessageNotContaining("s3cret");
    }
  }

  private static void requireFailure(Throwable told, Failure failure) {
    assertThat(told)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(failure));
  }

  /** The Sentinels have a password of their own. */
  @Nested
  class Logins extends Fleets {
    Logins() {
      super(RedisSentinels.of(Kind.VALKEY_8).password(PASSWORD).sentinelPassword("wort").start());
    }

    @Test
    void eachHasItsOwn() throws Exception {
      clientAt(fleet.url() + "?sentinel-password=wort", how -> how).lock("a").acquire().release();
    }

    @Test
    void anAddressIsFollowedAsAUrlIs() throws Exception {
      RedisAddress address =
          RedisAddress.ofSentinels(
              RedisSentinels.NAME, config(PASSWORD), places(fleet), config("wort"));
      Engine client =
          add(Leasehold.builder(RedisStores.at(address, prefix())).ttl(Duration.ofMinutes(10)));
      Lease held = client.lock("a").acquire();
      RedisServer before = fleet.primary();
      awaitReplicated(before);
      fleet.failOver();
      requireLeft(before);
      held.ensureHeld(held.remaining().plusNanos(1));
      held.release();
      requireNothingLeft(client);
    }

    @Test
    @SuppressWarnings("deprecation") // since Jedis 8
    void aPoolThatDoesNotTellItsPrimaryIsRefusedWithWhatToWrite() {
      try (JedisSentinelPool pool =
          new JedisSentinelPool(
              RedisSentinels.NAME, places(fleet), config(PASSWORD), config("wort"))) {
        assertThatThrownBy(() -> RedisStores.usingPool(pool))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("RedisAddress.ofSentinels");
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?sentinel-password=", "?sentinel-password=s3cret"})
    void aWrongOneIsRefusedWithoutShowingIt(String parameters) {
      assertThatThrownBy(() -> clientAt(fleet.url() + parameters, how -> how))
          .satisfies(told -> requireFailure(told, Failure.REFUSED))
          .hasMessageContaining("the Sentinel at 127.0.0.1:")
          .hasMessageNotContaining("geheim")
          .hasMessageNotContaining("s3cret");
    }

    @Test
    void oneSentinelIsDown() throws Exception {
      fleet.sentinels().get(0).kill();
      Engine client = clientAt(fleet.url() + "?sentinel-password=wort", how -> how);
      Lease held = client.lock("a").acquire();
      assertThat(held.isHeld()).isTrue();
      held.release();
      fleet.sentinels().get(0).start();
    }
  }

  @Test
  void withoutSentinelsThereIsOneClearError() {
    assertThatThrownBy(
            () ->
                Leasehold.connect("redis+sentinel://:geheim@127.0.0.1:1,127.0.0.1:2/main").close())
        .satisfies(told -> requireFailure(told, Failure.UNAVAILABLE))
        .hasMessageContaining("none of its Sentinels names the primary 'main'")
        .hasMessageContaining("the Sentinel at 127.0.0.1:1:")
        .hasMessageContaining("the Sentinel at 127.0.0.1:2:")
        .hasMessageContaining("Connection refused")
        .hasMessageNotContaining("geheim");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis+sentinel://:geheim@127.0.0.1",
        "redis+sentinel://:geheim@127.0.0.1/",
        "redis+sentinel://:geheim@127.0.0.1/a%20b",
        "redis+sentinel://:geheim@127.0.0.1/main/x",
        "redis+sentinel://:geheim@127.0.0.1,/main",
        "redis+sentinel://127.0.0.1/main?sentinel-user=a",
        "redis+sentinel://127.0.0.1/main?sentinel-passwort=geheim",
        "redis://127.0.0.1?sentinel-password=geheim",
      })
  void aUrlThatIsNoneIsRefused(String url) {
    assertThatThrownBy(() -> Leasehold.connect(url).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("geheim")
        .hasNoCause();
  }
}
