package io.leasehold.jdbc;

import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.util.EnumMap;
import java.util.Map;

/**
 * One server of each kind for all tests of this JVM, with which it ends. Each test takes tables of
 * its own.
 */
final class SharedServers {
  private static final Map<Kind, SqlServer> RUNNING = new EnumMap<>(Kind.class);

  private SharedServers() {}

  static synchronized SqlServer of(Kind kind) {
    return RUNNING.computeIfAbsent(kind, k -> SqlServer.of(k).start());
  }
}
