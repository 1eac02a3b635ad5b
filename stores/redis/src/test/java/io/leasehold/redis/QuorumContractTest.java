package io.leasehold.redis;

import io.leasehold.Quorum;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The promises, by a majority of three servers, which the contract restarts. */
@TestInstance(Lifecycle.PER_CLASS)
@ResourceLock("QuorumContractTest")
class QuorumContractTest extends StoreContract {
  private final List<RedisServer> servers =
      Stream.generate(() -> RedisServer.of(Kind.REDIS_7_0).persistent().start()).limit(3).toList();

  @Override
  protected ContractFixture fixture() {
    return new Fixture(servers);
  }

  @AfterAll
  void stop() {
    servers.forEach(RedisServer::close);
  }

  /** A prefix for each test, on all servers. */
  private static final class Fixture extends StoreFixture {
    private final List<RedisServer> servers;

    Fixture(List<RedisServer> servers) {
      super(quorum(servers, UUID.randomUUID() + ":"));
      this.servers = servers;
      with(Ability.RESTART);
      with(Ability.RESTART_EMPTY);
    }

    private static StoreFactory quorum(List<RedisServer> servers, String prefix) {
      return Quorum.of(
          servers.stream()
              .map(server -> StoreUrl.parse(server.url() + "?prefix=" + prefix))
              .map(new RedisStoreProvider()::factory)
              .toArray(StoreFactory[]::new));
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
