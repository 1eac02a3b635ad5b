package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Leasehold;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import io.leasehold.testkit.contract.LostReplyContract;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/** Requests that are lost on the way to a server, and replies on the way back. */
class LostReplyTest {
  @Nested
  class OnRedis70 extends Losses {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }
  }

  @Nested
  class OnValkey9 extends Losses {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }
  }

  @Nested
  class OverLettuce extends Losses {
    private final Map<Integer, RedisClient> clients = new ConcurrentHashMap<>();

    OverLettuce() {
      super(Kind.REDIS_7_0);
    }

    @Override
    protected Engine client(int port) {
      if (port == 0) {
        return super.client(port);
      }
      RedisClient lettuce = clients.computeIfAbsent(port, proxy -> Lettuce.at(server.urlBy(proxy)));
      return add(
          Leasehold.builder(LettuceStores.using(lettuce, prefix())).ttl(Duration.ofMinutes(10)));
    }

    @AfterAll
    void closeLettuce() {
      clients.values().forEach(RedisClient::shutdown);
    }
  }

  abstract static class Losses extends LostReplyContract {
    final RedisServer server;

    Losses(Kind kind) {
      super("", ":");
      server = RedisServer.of(kind).start();
    }

    @Override
    protected FaultProxy proxy() {
      return FaultProxy.to(server.host(), server.port(), Framing.RESP);
    }

    @Override
    protected Engine client(int port) {
      return clientAt(port == 0 ? server.url() : server.urlBy(port), how -> how);
    }

    @Override
    protected void requireNothingInTheStore(Engine other) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(ServerTest.keys(server, prefix() + "{*}:")).isEmpty());
    }

    @AfterAll
    void closeServer() {
      server.close();
    }
  }
}
