package io.leasehold.benchmarks.stores;

import io.leasehold.benchmarks.runner.BenchCommand;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** {@code ./bench stores}. */
@Command(
    name = "./bench stores",
    description = "Leasehold on all stores, on private servers, in turns; with a picture.",
    footer = {
      "Three rounds if you do not say.",
      "Scenarios: pair, low, one-process, processes, hand-over, crash"
    },
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    exitCodeOnExecutionException = 1,
    mixinStandardHelpOptions = true)
public final class StoresBench extends BenchCommand {
  @Option(names = "--stores", split = ",", description = "which: ${COMPLETION-CANDIDATES} (all)")
  private Set<Store> stores = EnumSet.allOf(Store.class);

  /** There is nothing to judge, and to await dead holders takes a minute of each round. */
  private static final IDefaultValueProvider FEWER_ROUNDS =
      option ->
          option instanceof OptionSpec named && named.longestName().equals("--rounds") ? "3" : null;

  /** Exits as every such command does. */
  public static void main(String... args) {
    System.exit(exitCode(args));
  }

  /** As {@link #main}, without the exit. */
  public static int exitCode(String... args) {
    return new CommandLine(new StoresBench())
        .setDefaultValueProvider(FEWER_ROUNDS)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .execute(args);
  }

  @Override
  protected String name() {
    return "stores";
  }

  @Override
  protected List<StoresSuite> suites() {
    return List.of(new StoresSuite(stores));
  }
}
