package io.leasehold.redis;

import io.leasehold.Quorum;
import io.leasehold.internal.quorum.Quorums;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import io.leasehold.testkit.contract.StoreFixture;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The promises, by a majority of three servers, which the contract restarts. */
class QuorumContractTest {
  /**
   * Of factories, which are taken as they are: they do not say what a restart makes them forget.
   */
  @Nested
  @ResourceLock("QuorumContractTest.OfFactories")
  class OfFactories extends Servers {
    @Override
    StoreFactory quorum(String prefix) {
      return Quorum.of(
          servers.stream()
              .map(server -> StoreUrl.parse(server.url() + "?prefix=" + prefix))
              .map(new RedisStoreProvider()::factory)
              .toArray(StoreFactory[]::new));
    }
  }

  /** By URL: each says that it forgets nothing, so there are tokens. */
  @Nested
  @ResourceLock("QuorumContractTest.WithTokens")
  class WithTokens extends Servers {
    @Override
    StoreFactory quorum(String prefix) {
      String urls = servers.stream().map(RedisServer::url).collect(Collectors.joining(","));
      return new Quorums().factory(StoreUrl.parse("quorum:" + urls + "?prefix=" + prefix));
    }
  }

  @TestInstance(Lifecycle.PER_CLASS)
  abstract static class Servers extends StoreContract {
    final List<RedisServer> servers =
        Stream.generate(() -> RedisServer.of(Kind.REDIS_7_0).persistent().start())
            .limit(3)
            .toList();

    abstract StoreFactory quorum(String prefix);

    /** A prefix for each test, on all servers. */
    @Override
    protected ContractFixture fixture() {
      return new Fixture(servers, quorum(UUID.randomUUID() + ":"));
    }

    @AfterAll
    void stop() {
      servers.forEach(RedisServer::close);
    }
  }

  private static final class Fixture extends StoreFixture {
    private final List<RedisServer> servers;

    Fixture(List<RedisServer> servers, StoreFactory quorum) {
      super(quorum);
      this.servers = servers;
      with(Ability.RESTART);
      with(Ability.RESTART_EMPTY);
    }

    @Override
    public void restart() {
      servers.forEach(RedisServer::kill);
      servers.forEach(RedisServer::start);
    }

    @Override
    public void restartEmpty() {
      servers.forEach(RedisServer::kill);
      servers.forEach(RedisServer::startEmpty);
    }
  }
}
