package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;

/** A store over a client that the application already has. */
class UsersOwnClientTest extends ServerTest {
  UsersOwnClientTest() {
    super(RedisServer.of(Kind.VALKEY_9).password("secret"));
  }

  private RedisClient jedis(RedisProtocol protocol) {
    return RedisClient.builder()
        .hostAndPort(server.host(), server.port())
        .clientConfig(
            DefaultJedisClientConfig.builder().password("secret").protocol(protocol).build())
        .build();
  }

  private Engine over(RedisClient jedis) {
    return over(RedisStores.using(jedis, prefix()));
  }

  private Engine over(StoreFactory store) {
    return add(Leasehold.builder(store).ttl(Duration.ofMinutes(10)));
  }

  @ParameterizedTest
  @EnumSource(RedisProtocol.class)
  void itLocksWithIt(RedisProtocol protocol) throws Exception {
    try (RedisClient jedis = jedis(protocol)) {
      requireLocks(RedisStores.using(jedis, prefix()));
      assertThat(jedis.getPool().getNumActive()).isZero();
      assertThat(jedis.ping()).as("it is the application's").isEqualTo("PONG");
    }
  }

  @Test
  @SuppressWarnings("deprecation") // since Jedis 8
  void itLocksWithAPool() throws Exception {
    try (JedisPool pool =
        new JedisPool(
            new HostAndPort(server.host(), server.port()),
            DefaultJedisClientConfig.builder().password("secret").build())) {
      requireLocks(RedisStores.usingPool(pool, prefix()));
      assertThat(pool.getCreatedCount()).as("connections of the pool").isZero();
    }
  }

  @Test
  void itLocksAtAnAddress() throws Exception {
    assertThat(server.command("ACL", "SETUSER", "app", "on", ">one", "~*", "&*", "+@all"))
        .isEqualTo("OK");
    requireLocks(RedisStores.at(address("app", "one", 0), prefix()));
    Engine elsewhere = over(RedisStores.at(address("app", "one", 3), prefix()));
    try (Lease held = elsewhere.lock("a").acquire()) {
      assertThat(held.isHeld()).isTrue();
      assertThat(server.info("keyspace")).containsKey("db3");
    }
    assertThatThrownBy(() -> over(RedisStores.at(address("app", "two", 0), prefix())))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining("Redis at " + server.host())
        .hasMessageNotContaining("two");
  }

  private RedisAddress address(String user, String password, int database) {
    return RedisAddress.of(
        new HostAndPort(server.host(), server.port()),
        DefaultJedisClientConfig.builder()
            .user(user)
            .password(password)
            .database(database)
            .build());
  }

  private void requireLocks(StoreFactory store) throws Exception {
    Engine client = over(store);
    Engine other = client();
    Lease held = other.lock("a").acquire();
    assertThat(client.lock("a").tryAcquire()).isEmpty();
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
    awaitListening();
    held.release();
    Lease next = served(waiter);
    next.ensureHeld(Duration.ofMinutes(9));
    assertThat(client.list()).hasSize(1);
    assertThat(client.diagnose()).extracting("check").contains("persistence", "eviction");
    next.release();
    client.close();
  }

  @ParameterizedTest
  @EnumSource(RedisProtocol.class)
  void itsSubscriptionStandsOverPings(RedisProtocol protocol) throws Exception {
    try (RedisClient jedis = jedis(protocol)) {
      Engine client = over(jedis);
      Engine other = client();
      Lease held = other.lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
      awaitListening();
      String before = subscriptions();
      CommandCounts counts = CommandCounts.from(server);
      await().atMost(PATIENCE).until(() -> counts.of("ping") > 0);
      assertThat(subscriptions()).isEqualTo(before);
      held.release();
      served(waiter).release();
    }
  }

  /** The ids of the connections that listen. */
  private String subscriptions() {
    String list = (String) server.command("CLIENT", "LIST", "TYPE", "pubsub");
    return list.lines().map(line -> line.split(" ", -1)[0]).toList().toString();
  }

  @Test
  void twoClientsExcludeEachOther() throws Exception {
    try (RedisClient one = jedis(RedisProtocol.RESP2);
        RedisClient two = jedis(RedisProtocol.RESP3)) {
      Lease held = over(one).lock("a").acquire();
      assertThat(over(two).lock("a").tryAcquire()).isEmpty();
      held.release();
      assertThat(List.of(held)).noneMatch(Lease::isHeld);
    }
  }
}
