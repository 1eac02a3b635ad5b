package io.leasehold.redis;

import io.leasehold.servers.RedisServer;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.StoreFixture;
import java.util.UUID;
import java.util.function.Function;

/** A prefix of its own on a server. */
final class RedisFixture extends StoreFixture {
  private final RedisServer server;

  RedisFixture(RedisServer server) {
    this(
        server,
        prefix ->
            new RedisStoreProvider().factory(StoreUrl.parse(server.url() + "?prefix=" + prefix)));
  }

  RedisFixture(RedisServer server, Function<String, StoreFactory> factory) {
    super(factory.apply(UUID.randomUUID() + ":"));
    this.server = server;
    with(Ability.RESTART);
    with(Ability.RESTART_EMPTY);
  }

  @Override
  public void restart() {
    server.kill();
    server.start();
  }

  @Override
  public void restartEmpty() {
    server.kill();
    server.startEmpty();
  }
}
