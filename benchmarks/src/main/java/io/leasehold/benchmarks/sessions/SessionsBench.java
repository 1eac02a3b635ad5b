package io.leasehold.benchmarks.sessions;

import io.leasehold.benchmarks.runner.BenchCommand;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./bench zookeeper}, {@code ./bench etcd} and {@code ./bench consul}. */
@Command(
    description = "Leasehold and other clients on one private server, in turns.",
    footer = {
      "Scenarios: pair, one-process, processes, hand-over, held",
      "Peers: curator, nodes on ZooKeeper; jetcd, jetcd_own on etcd; http, http_retry on Consul"
    },
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    exitCodeOnExecutionException = 1,
    mixinStandardHelpOptions = true)
public final class SessionsBench extends BenchCommand {
  private final SessionsSuite suite;

  private SessionsBench(SessionsSuite suite) {
    this.suite = suite;
  }

  /** Takes the kind of the server before the options. Exits as every such command does. */
  public static void main(String... args) {
    SessionsSuite suite = SessionsSuite.valueOf(args[0].toUpperCase(Locale.ROOT));
    System.exit(exitCode(suite, Arrays.copyOfRange(args, 1, args.length)));
  }

  /** As {@link #main}, without the exit. */
  static int exitCode(SessionsSuite suite, String... args) {
    SessionsBench bench = new SessionsBench(suite);
    return new CommandLine(bench).setCommandName("./bench " + bench.name()).execute(args);
  }

  @Override
  protected String name() {
    return suite.name().toLowerCase(Locale.ROOT);
  }

  @Override
  protected List<SessionsSuite> suites() {
    return List.of(suite);
  }
}
