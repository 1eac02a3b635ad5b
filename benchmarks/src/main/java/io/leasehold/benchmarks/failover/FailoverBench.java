package io.leasehold.benchmarks.failover;

import io.leasehold.benchmarks.runner.Clock;
import io.leasehold.benchmarks.runner.Library;
import io.leasehold.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.LogManager;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./bench failover}: exits with 1 if Leasehold did not keep a promise, or a trial failed.
 */
@Command(
    name = "./bench failover",
    description = {
      "Promotes a replica of Redis at every step of a grant, of Leasehold and of Redisson,",
      "and counts what that does to the lock. Prints a table in Markdown."
    },
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    exitCodeOnExecutionException = 1,
    mixinStandardHelpOptions = true)
public final class FailoverBench implements Callable<Integer> {
  private static final Duration TTL = Duration.ofSeconds(6);

  @Option(names = "--repeat", defaultValue = "200", description = "failovers for each row (200)")
  private int repeat;

  @Option(
      names = "--trios",
      defaultValue = "8",
      description = "how many sets of three servers fail over at once (8)")
  private int trios;

  @Option(
      names = "--server",
      defaultValue = "REDIS_7_0",
      description = "which server: ${COMPLETION-CANDIDATES} (REDIS_7_0)")
  private RedisServer.Kind kind = RedisServer.Kind.REDIS_7_0;

  /** For the one that picocli makes. */
  FailoverBench() {}

  /** Exits as every such command does. */
  public static void main(String... args) {
    LogManager.getLogManager().reset(); // thousands of connections break on purpose
    System.exit(exitCode(args));
  }

  /** As {@link #main}, without the exit. */
  static int exitCode(String... args) {
    return new CommandLine(new FailoverBench()).execute(args);
  }

  @Override
  public Integer call() throws Exception {
    List<Row> rows = Row.all();
    new Failovers(kind, trios, TTL, System.err::println).run(rows, repeat);
    System.out.println("- " + Clock.today() + ", " + repeat + " failovers for each row");
    System.out.println("- " + kind.program() + ", " + libraries() + "\n");
    System.out.println(Row.table(rows));
    List<String> misses = rows.stream().flatMap(row -> row.misses().stream()).toList();
    misses.forEach(miss -> System.out.println("  MISS " + miss));
    System.out.println(misses.isEmpty() ? "  PASS" : "  MISS: " + misses.size());
    return misses.isEmpty() ? 0 : 1;
  }

  private static String libraries() {
    return Stream.of(FailoverLibrary.values())
        .map(FailoverLibrary::type)
        .map(Library::jar)
        .filter(jar -> !jar.isEmpty())
        .distinct()
        .collect(Collectors.joining(", "));
  }
}
