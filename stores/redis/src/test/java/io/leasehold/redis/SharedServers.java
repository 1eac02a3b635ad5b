package io.leasehold.redis;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.util.EnumMap;
import java.util.Map;

/**
 * One server of each kind for all tests of this JVM, with which it ends. Each test takes a prefix
 * of its own.
 */
final class SharedServers {
  private static final Map<Kind, RedisServer> RUNNING = new EnumMap<>(Kind.class);

  private SharedServers() {}

  static synchronized RedisServer of(Kind kind) {
    return RUNNING.computeIfAbsent(kind, k -> RedisServer.of(k).persistent().start());
  }
}
