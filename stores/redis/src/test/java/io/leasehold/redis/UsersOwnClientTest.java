package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.DefaultJedisClientConfig;
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
    return add(Leasehold.builder(RedisStores.using(jedis, prefix())).ttl(Duration.ofMinutes(10)));
  }

  @ParameterizedTest
  @EnumSource(RedisProtocol.class)
  void itLocksWithIt(RedisProtocol protocol) throws Exception {
    try (RedisClient jedis = jedis(protocol)) {
      Engine client = over(jedis);
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
      assertThat(jedis.getPool().getNumActive()).isZero();
      client.close();
      assertThat(jedis.ping()).isEqualTo("PONG");
    }
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
