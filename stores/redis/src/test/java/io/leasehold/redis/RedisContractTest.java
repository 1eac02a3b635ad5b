package io.leasehold.redis;

import io.leasehold.servers.RedisCluster;
import io.leasehold.servers.RedisSentinels;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import io.leasehold.testkit.contract.StoreFixture;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.UUID;
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
  @ResourceLock("OnRedis80")
  class OnRedis80 extends OnServer {
    OnRedis80() {
      super(Kind.REDIS_8_0);
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

  /** On the primary that Sentinels name; they are patient, for the contract restarts it. */
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  abstract static class OnSentinels extends StoreContract {
    final RedisSentinels fleet =
        RedisSentinels.of(Kind.REDIS_7_0).persistent().downAfter(Duration.ofMinutes(10)).start();

    @AfterAll
    void stop() {
      fleet.close();
    }
  }

  @Nested
  @ResourceLock("OnSentinelsOverJedis")
  class OnSentinelsOverJedis extends OnSentinels {
    @Override
    protected ContractFixture fixture() {
      return new RedisFixture(
          fleet.primary(),
          prefix ->
              new RedisStoreProvider().factory(StoreUrl.parse(fleet.url() + "?prefix=" + prefix)));
    }
  }

  @Nested
  @ResourceLock("OnSentinelsOverLettuce")
  class OnSentinelsOverLettuce extends OnSentinels {
    private final RedisClient client = Lettuce.at(fleet, "");

    @Override
    protected ContractFixture fixture() {
      return new RedisFixture(fleet.primary(), prefix -> LettuceStores.using(client, prefix));
    }

    @AfterAll
    void disconnect() {
      client.shutdown();
    }
  }

  /** On three primaries, which the contract restarts together. */
  @Nested
  @TestInstance(Lifecycle.PER_CLASS)
  @Execution(ExecutionMode.CONCURRENT)
  @ResourceLock("OnCluster")
  class OnCluster extends StoreContract {
    private final RedisCluster cluster = RedisCluster.start(Kind.REDIS_7_0, 3);

    @Override
    protected ContractFixture fixture() {
      return new ClusterFixture(cluster);
    }

    @AfterAll
    void stop() {
      cluster.close();
    }
  }

  private static final class ClusterFixture extends StoreFixture {
    private final RedisCluster cluster;

    ClusterFixture(RedisCluster cluster) {
      super(
          new RedisStoreProvider()
              .factory(StoreUrl.parse(cluster.url() + "?prefix=" + UUID.randomUUID() + ":")));
      this.cluster = cluster;
      with(Ability.RESTART);
    }

    @Override
    public void restart() {
      cluster.nodes().forEach(RedisServer::kill);
      cluster.nodes().forEach(RedisServer::start);
      cluster.awaitWhole();
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
