package io.leasehold.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;

/** Lettuce clients that a store takes. */
final class Lettuce {
  private Lettuce() {}

  static RedisClient at(String url) {
    RedisClient client = RedisClient.create(url);
    client.setOptions(
        ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
    return client;
  }
}
