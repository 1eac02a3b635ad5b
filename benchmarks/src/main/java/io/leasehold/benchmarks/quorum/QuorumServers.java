package io.leasehold.benchmarks.quorum;

import io.leasehold.benchmarks.redis.RedisServers;
import io.leasehold.benchmarks.runner.Counts;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.servers.RedisServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Three servers that know nothing of each other. Their URL is that of all, with commas.
 *
 * @param all each
 */
record QuorumServers(List<RedisServers> all) implements Server {
  static QuorumServers start() {
    return new QuorumServers(
        Stream.generate(() -> new RedisServers(oldServer(), oldServer())).limit(3).toList());
  }

  /** One that was started a moment ago may have forgotten leases, and does not vote. */
  private static RedisServer oldServer() {
    RedisServer server = RedisServer.of(RedisServer.Kind.REDIS_7_0).withSteppableClock().start();
    server.stepClock(Duration.ofDays(1));
    return server;
  }

  @Override
  public String version() {
    return "3 servers, " + all.get(0).version();
  }

  @Override
  public String url() {
    return urls(RedisServers::url);
  }

  @Override
  public String quietUrl() {
    return urls(RedisServers::quietUrl);
  }

  private String urls(Function<RedisServers, String> url) {
    return all.stream().map(url).collect(Collectors.joining(","));
  }

  /** The sum over the servers. */
  @Override
  public Counts count(Work work) throws InterruptedException {
    Map<String, Double> sum = new HashMap<>();
    countFrom(0, work, sum);
    return new Counts(sum);
  }

  private void countFrom(int first, Work work, Map<String, Double> sum)
      throws InterruptedException {
    if (first == all.size()) {
      work.run();
    } else {
      Counts one = all.get(first).count(() -> countFrom(first + 1, work, sum));
      one.byMeasure().forEach((measure, value) -> sum.merge(measure, value, Double::sum));
    }
  }

  @Override
  public void close() {
    all.forEach(RedisServers::close);
  }
}
