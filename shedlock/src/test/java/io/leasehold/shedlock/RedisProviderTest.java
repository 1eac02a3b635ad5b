package io.leasehold.shedlock;

import io.leasehold.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisProviderTest extends ServerProviderContract {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.of(RedisServer.Kind.REDIS_7_0).start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  String url() {
    return server.url();
  }
}
