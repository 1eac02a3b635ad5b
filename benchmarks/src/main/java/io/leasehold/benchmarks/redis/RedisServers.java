package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.Counts;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.servers.RedisServer;
import java.util.stream.Collectors;
import redis.clients.jedis.Jedis;

/**
 * One server for everybody, and one for who is counted: idle clients of the others send heartbeats.
 *
 * @param shared for everybody
 * @param quiet for who is counted
 */
public record RedisServers(RedisServer shared, RedisServer quiet) implements Server {
  /** Starts them. */
  public static RedisServers start(RedisServer.Kind kind) {
    return new RedisServers(RedisServer.of(kind).start(), RedisServer.of(kind).start());
  }

  @Override
  public String version() {
    try (Jedis jedis = new Jedis("127.0.0.1", shared.port())) {
      return jedis
          .info("server")
          .lines()
          .filter(line -> line.matches("(redis|valkey)_version:.*"))
          .collect(Collectors.joining(", "));
    }
  }

  @Override
  public String url() {
    return url(shared);
  }

  @Override
  public String quietUrl() {
    try (Jedis jedis = new Jedis("127.0.0.1", quiet.port())) {
      jedis.flushAll();
    }
    return url(quiet);
  }

  private static String url(RedisServer server) {
    return "redis://127.0.0.1:" + server.port();
  }

  @Override
  public Counts count(Work work) throws InterruptedException {
    return RedisCounts.during(quiet.port(), work);
  }

  @Override
  public void close() {
    quiet.close();
    shared.close();
  }
}
