package io.leasehold.benchmarks.jdbc;

import io.leasehold.benchmarks.runner.BenchCommand;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./bench jdbc}. */
@Command(
    name = "./bench jdbc",
    description =
        "Leasehold, other libraries and bare statements on private database servers, in turns.",
    footer = {
      "Scenarios: pair, one-process, processes, hand-over, long-wait, held",
      "Peers: spring, shedlock, advisory, numbered, updates, notify"
    },
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    exitCodeOnExecutionException = 1,
    mixinStandardHelpOptions = true)
public final class JdbcBench extends BenchCommand {
  @Option(
      names = "--server",
      split = ",",
      description = "which servers: ${COMPLETION-CANDIDATES} (all, one after another)")
  private Set<Database> servers = EnumSet.allOf(Database.class);

  /** Exits as every such command does. */
  public static void main(String... args) {
    System.exit(exitCode(args));
  }

  /** As {@link #main}, without the exit. */
  public static int exitCode(String... args) {
    return new CommandLine(new JdbcBench()).setCaseInsensitiveEnumValuesAllowed(true).execute(args);
  }

  @Override
  protected String name() {
    return "jdbc";
  }

  @Override
  protected List<JdbcSuite> suites() {
    boolean hasSessions = JdbcLibrary.hasSessions();
    if (!hasSessions) {
      System.err.println("bench: without sessions, since the store knows no mode=session");
    }
    return servers.stream().sorted().map(each -> new JdbcSuite(each, hasSessions)).toList();
  }
}
