package io.leasehold.idempotency;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;

/** One server of each kind for all tests of this JVM; each test takes a prefix of its own. */
final class RedisServers {
  private static final Map<Kind, RedisServer> RUNNING = new EnumMap<>(Kind.class);

  private RedisServers() {}

  static synchronized RedisServer of(Kind kind) {
    return RUNNING.computeIfAbsent(kind, k -> RedisServer.of(k).start());
  }

  /** Of a store. */
  static String url(Kind kind) {
    return of(kind).url() + "?prefix=" + UUID.randomUUID() + ":";
  }
}
