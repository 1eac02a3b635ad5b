package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.BenchCommand;
import io.leasehold.servers.RedisServer;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./bench redis}. */
@Command(
    name = "./bench redis",
    description = "Leasehold and other libraries on one private Redis server, in turns.",
    footer = {
      "Scenarios: pair, own-names, one-process, processes, fair-process, fair, work, hand-over, held,"
          + " inside",
      "Peers: redisson, spring, jedis, lettuce, list, message, jdk"
    },
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    exitCodeOnExecutionException = 1,
    mixinStandardHelpOptions = true)
public final class RedisBench extends BenchCommand {
  @Option(
      names = "--server",
      defaultValue = "REDIS_7_0",
      description = "which server: ${COMPLETION-CANDIDATES} (REDIS_7_0)")
  private RedisServer.Kind kind = RedisServer.Kind.REDIS_7_0;

  /** Exits as every such command does. */
  public static void main(String... args) {
    System.exit(exitCode(args));
  }

  /** As {@link #main}, without the exit. */
  public static int exitCode(String... args) {
    return new CommandLine(new RedisBench()).execute(args);
  }

  @Override
  protected String name() {
    return "redis";
  }

  @Override
  protected List<RedisSuite> suites() {
    return List.of(new RedisSuite(kind));
  }
}
