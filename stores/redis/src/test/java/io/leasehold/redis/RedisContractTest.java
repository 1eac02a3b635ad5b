package io.leasehold.redis;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The promises, on every server that the store is for and over both client libraries. */
class RedisContractTest {
  /** On a server of its own, which the contract restarts; so its tests run one after another. */
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  abstract static class OnServer extends StoreContract {
    final RedisServer server;

    OnServer(Kind kind) {
      server = RedisServer.of(kind).persistent().start();
    }

    @Override
    protected ContractFixture fixture() {
      return new RedisFixture(server);
    }

    @AfterAll
    void stop() {
      server.close();
    }
  }

  @Nested
  @ResourceLock("OnRedis70")
  class OnRedis70 extends OnServer {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }
  }

  @Nested
  @ResourceLock("OnValkey8")
  class OnValkey8 extends OnServer {
    OnValkey8() {
      super(Kind.VALKEY_8);
    }
  }

  @Nested
  @ResourceLock("OnValkey9")
  class OnValkey9 extends OnServer {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }
  }

  /** Over a client of the application. */
  @Nested
  @ResourceLock("OverLettuce")
  class OverLettuce extends OnServer {
    private final RedisClient client;

    OverLettuce() {
      super(Kind.REDIS_7_0);
      client = RedisClient.create(server.url());
      client.setOptions(
          ClientOptions.builder()
              .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
              .build());
    }

    @Override
    protected ContractFixture fixture() {
      return new RedisFixture(server, prefix -> LettuceStores.using(client, prefix));
    }

    @AfterAll
    void disconnect() {
      client.shutdown();
    }
  }
}
