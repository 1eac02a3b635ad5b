package io.leasehold.benchmarks.stores;

import io.leasehold.benchmarks.runner.BenchCommand;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./bench stores}. */
@Command(
    name = "./bench stores",
    description = "Leasehold on all stores, on private servers, in turns; with a picture.",
    footer = "Scenarios: pair, low, one-process, processes, hand-over, crash",
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    exitCodeOnExecutionException = 1,
    mixinStandardHelpOptions = true)
public final class StoresBench extends BenchCommand {
  @Option(names = "--stores", split = ",", description = "which: ${COMPLETION-CANDIDATES} (all)")
  private Set<Store> stores = EnumSet.allOf(Store.class);

  /** Exits as every such command does. */
  public static void main(String... args) {
    System.exit(exitCode(args));
  }

  /** As {@link #main}, without the exit. */
  public static int exitCode(String... args) {
    return new CommandLine(new StoresBench())
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
