package io.leasehold.gallery;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.ServerProcess;
import io.leasehold.servers.SqlServer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The servers of all plays: each is started by the first play that needs it, and shared. */
final class Servers implements AutoCloseable {
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private @Nullable RedisServer redis;
  private @Nullable SqlServer mysql;
  private @Nullable ServerProcess zooKeeper;
  private @Nullable ServerProcess consul;
  private @Nullable ServerProcess memcached;
  private final List<RedisServer> fleet = new ArrayList<>();

  /** One Redis, whose clock can be stepped. */
  RedisServer redis() {
    RedisServer server = redis;
    if (server == null) {
      server = startRedis();
      redis = server;
    }
    return server;
  }

  /** Three more, which know nothing of each other. */
  List<RedisServer> fleet() {
    while (fleet.size() < 3) {
      fleet.add(startRedis());
    }
    return fleet;
  }

  private RedisServer startRedis() {
    return kept(RedisServer.of(RedisServer.Kind.REDIS_7_0).withSteppableClock().start());
  }

  /** A MySQL, whose clock can be stepped. */
  SqlServer mysql() {
    SqlServer server = mysql;
    if (server == null) {
      server = kept(SqlServer.of(SqlServer.Kind.MYSQL_9).withSteppableClock().start());
      mysql = server;
    }
    return server;
  }

  /** A ZooKeeper. */
  ServerProcess zooKeeper() {
    ServerProcess server = zooKeeper;
    if (server == null) {
      server = kept(ZooKeeperServer.start());
      zooKeeper = server;
    }
    return server;
  }

  /** A Consul. */
  ServerProcess consul() {
    ServerProcess server = consul;
    if (server == null) {
      server = kept(ConsulServer.start());
      consul = server;
    }
    return server;
  }

  /** A memcached. */
  ServerProcess memcached() {
    ServerProcess server = memcached;
    if (server == null) {
      server = kept(MemcachedScenery.start());
      memcached = server;
    }
    return server;
  }

  private <T extends AutoCloseable> T kept(T server) {
    started.push(server);
    return server;
  }

  @Override
  public void close() {
    Closing.all(started);
  }
}
