package io.leasehold.benchmarks.idempotency;

import io.leasehold.benchmarks.runner.BenchCommand;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./bench idempotency}. */
@Command(
    name = "./bench idempotency",
    description =
        "First calls and replays on private servers, in turns; updates by version and under a lock.",
    footer = {"Scenarios: calls, writers, rows (the last two on databases)", "Peers: spring, bare"},
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    exitCodeOnExecutionException = 1,
    mixinStandardHelpOptions = true)
public final class IdempotencyBench extends BenchCommand {
  @Option(
      names = "--server",
      split = ",",
      description = "which servers: ${COMPLETION-CANDIDATES} (all, one after another)")
  private Set<IdempotencySuite> servers = EnumSet.allOf(IdempotencySuite.class);

  /** Exits as every such command does. */
  public static void main(String... args) {
    System.exit(exitCode(args));
  }

  /** As {@link #main}, without the exit. */
  public static int exitCode(String... args) {
    return new CommandLine(new IdempotencyBench())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .execute(args);
  }

  @Override
  protected String name() {
    return "idempotency";
  }

  @Override
  protected List<IdempotencySuite> suites() {
    return servers.stream().sorted().toList();
  }
}
