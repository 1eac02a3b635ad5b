package io.leasehold.redis;

import io.leasehold.servers.RedisSentinels;
import io.leasehold.servers.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.util.Objects;

/** Lettuce clients that a store takes. */
final class Lettuce {
  private Lettuce() {}

  static RedisClient at(String url) {
    return rejecting(RedisClient.create(url));
  }

  /** Of the primary that the Sentinels of a fleet name. */
  static RedisClient at(RedisSentinels fleet, String password) {
    RedisURI.Builder uri = null;
    for (RedisServer sentinel : fleet.sentinels()) {
      uri =
          uri == null
              ? RedisURI.Builder.sentinel(sentinel.host(), sentinel.port(), RedisSentinels.NAME)
              : uri.withSentinel(sentinel.host(), sentinel.port());
    }
    RedisURI all = Objects.requireNonNull(uri).withClientName("leasehold").build();
    if (!password.isEmpty()) {
      all.setCredentialsProvider(
          RedisCredentialsProvider.from(() -> RedisCredentials.just(null, password)));
    }
    return rejecting(RedisClient.create(all));
  }

  private static RedisClient rejecting(RedisClient client) {
    client.setOptions(
        ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
    return client;
  }
}
