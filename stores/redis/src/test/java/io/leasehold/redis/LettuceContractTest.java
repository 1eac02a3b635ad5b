package io.leasehold.redis;

import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.contract.ContractFixture;
import io.leasehold.testkit.contract.StoreContract;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The promises, over a Lettuce client of the application. */
class LettuceContractTest extends StoreContract {
  private static RedisClient client;

  @BeforeAll
  static void connect() {
    client = RedisClient.create(SharedServers.of(Kind.REDIS_7_0).url());
    client.setOptions(
        ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
  }

  @AfterAll
  static void disconnect() {
    client.shutdown();
  }

  @Override
  protected ContractFixture fixture() {
    return new RedisFixture(
        SharedServers.of(Kind.REDIS_7_0), prefix -> LettuceStores.using(client, prefix));
  }
}
