package io.leasehold.redis;

import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import org.junit.jupiter.api.Nested;

/** The promises, on every server that the store is for. */
class RedisContractTest {
  @Nested
  class OnRedis70 extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new RedisFixture(SharedServers.of(Kind.REDIS_7_0));
    }
  }

  @Nested
  class OnValkey8 extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new RedisFixture(SharedServers.of(Kind.VALKEY_8));
    }
  }

  @Nested
  class OnValkey9 extends StoreContract {
    @Override
    protected ContractFixture fixture() {
      return new RedisFixture(SharedServers.of(Kind.VALKEY_9));
    }
  }
}
