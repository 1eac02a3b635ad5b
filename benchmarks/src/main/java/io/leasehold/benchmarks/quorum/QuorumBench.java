package io.leasehold.benchmarks.quorum;

import io.leasehold.benchmarks.runner.BenchCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./bench quorum}. */
@Command(
    name = "./bench quorum",
    description = "A quorum of three private Redis servers, one of them, and others, in turns.",
    footer = {"Scenarios: pair, processes", "Peers: redisson, sockets, socket"},
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    exitCodeOnExecutionException = 1,
    mixinStandardHelpOptions = true)
public final class QuorumBench extends BenchCommand {
  /** Exits as every such command does. */
  public static void main(String... args) {
    System.exit(exitCode(args));
  }

  /** As {@link #main}, without the exit. */
  static int exitCode(String... args) {
    return new CommandLine(new QuorumBench()).execute(args);
  }

  @Override
  protected String name() {
    return "quorum";
  }

  @Override
  protected List<QuorumSuite> suites() {
    return List.of(QuorumSuite.values());
  }
}
