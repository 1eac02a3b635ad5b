package io.leasehold.benchmarks.runner;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * Runs suites, one after another, and prints what came of each. Exits with 0 if every target was
 * met, 1 if one was missed or something failed, 64 if the arguments are wrong.
 */
public abstract class BenchCommand implements Callable<Integer> {
  @Option(names = "--rounds", defaultValue = "5", description = "how many (5)")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "1.5", description = "of each measurement (1.5)")
  private double seconds;

  @Option(
      names = "--warm-up",
      description = "seconds of each measurement before the first round (what the scenario sets)")
  private @Nullable Double warmUp;

  @Option(names = "--only", split = ",", description = "which scenarios (all)")
  private Set<String> only = Set.of();

  @Option(
      names = "--peers",
      split = ",",
      description = "who is measured beside Leasehold (all); a target needs those that it is about")
  private Set<String> peers = Set.of();

  @Option(names = "--json", description = "where the results go, as JSON")
  private Optional<Path> json = Optional.empty();

  @Option(names = "--markdown", description = "print tables in Markdown")
  private boolean markdown;

  /** For the one that picocli makes. */
  protected BenchCommand() {}

  /** What stands after {@code ./bench}. */
  protected abstract String name();

  /** What is to be run; at least one. */
  protected abstract List<? extends Suite> suites();

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<? extends Suite> suites = suites();
    requireKnown(suites.get(0));
    requireTime();
    List<Report> reports = new ArrayList<>();
    for (Suite suite : suites) {
      Report report = report(suite);
      reports.add(report);
      System.out.println(markdown ? Tables.markdown(report) : Tables.text(report));
    }
    Path written = write(new JsonReport(reports));
    System.out.println("  " + written);
    for (int i = 0; i < suites.size(); i++) {
      draw(suites.get(i), reports.get(i), written);
    }
    return reports.stream().anyMatch(Report::isBad) ? 1 : 0;
  }

  /** Draws what a picture says more of than a table. */
  private static void draw(Suite suite, Report report, Path beside) throws IOException {
    String name = String.valueOf(beside.getFileName()).replaceAll("\\.json$", "");
    Optional<String> drawing = suite.drawing(report);
    if (drawing.isPresent()) {
      Path file = beside.resolveSibling(name + ".svg");
      System.out.println("  " + Files.writeString(file, drawing.orElseThrow()));
    }
    for (Report.Section section : report.sections()) {
      if (suite.isDrawn(section.scenario())) {
        String[] parts = {name, suite.name(), section.scenario().name()};
        Path file =
            beside.resolveSibling(String.join("-", parts).toLowerCase(Locale.ROOT) + ".svg");
        System.out.println("  " + Files.writeString(file, Plot.of(section)));
      }
    }
  }

  private Report report(Suite suite) throws IOException, InterruptedException {
    Settings settings = suite.settings(duration(seconds));
    if (warmUp != null) {
      settings = settings.warmingUpFor(duration(warmUp));
    }
    List<Scenario> scenarios =
        suite.scenarios().stream()
            .filter(scenario -> only.isEmpty() || only.contains(scenario.name()))
            .toList();
    Server server = suite.start();
    try (Stage stage = new Stage(server)) {
      Map<String, String> machine = machine(suite, settings, server);
      List<? extends Contender> contenders =
          suite.contenders().stream().filter(this::isIn).toList();
      Run run = new Run(stage, settings, scenarios, contenders, System.err::println);
      run.warmUp();
      Results results = run.rounds(rounds);
      return new Report(machine, results.sections(scenarios), stage.exclusions(), run.failures());
    }
  }

  private boolean isIn(Contender contender) {
    return contender.library().isOurs()
        || peers.isEmpty()
        || peers.stream().anyMatch(contender.library().name()::equalsIgnoreCase);
  }

  private void requireKnown(Suite suite) {
    Set<String> known =
        suite.scenarios().stream().map(Scenario::name).collect(Collectors.toUnmodifiableSet());
    if (!known.containsAll(only)) {
      throw new ParameterException(
          new CommandLine(this),
          "the scenarios are "
              + suite.scenarios().stream().map(Scenario::name).collect(Collectors.joining(", ")));
    }
  }

  private void requireTime() {
    if (rounds < 1 || seconds <= 0 || (warmUp != null && warmUp <= 0)) {
      throw new ParameterException(
          new CommandLine(this),
          "--rounds must be at least 1, and --seconds and --warm-up more than 0");
    }
  }

  private static Duration duration(double seconds) {
    return Duration.ofNanos((long) (seconds * 1e9));
  }

  private Map<String, String> machine(Suite suite, Settings settings, Server server)
      throws IOException {
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("date", Clock.today().toString());
    machine.put("rounds", rounds + " of " + seconds + " s");
    machine.put("warm-up", settings.warmUp().toMillis() / 1e3 + " s of each measurement");
    machine.put("processors", Runtime.getRuntime().availableProcessors() + model());
    machine.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    machine.put("Java", Runtime.version() + ", " + ChildProcess.jvmArguments());
    machine.put("server", server.version());
    machine.put(
        "libraries",
        suite.contenders().stream()
            .map(contender -> contender.library().jar())
            .filter(jar -> !jar.isEmpty())
            .distinct()
            .collect(Collectors.joining(", ")));
    return machine;
  }

  private static String model() throws IOException {
    Path cpus = Path.of("/proc/cpuinfo");
    try (Stream<String> lines = Files.exists(cpus) ? Files.lines(cpus) : Stream.of()) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .findFirst()
          .map(line -> ", " + line.substring(line.indexOf(':') + 1).strip())
          .orElse("");
    }
  }

  private Path write(JsonReport report) throws IOException {
    String standard = name() + "-" + Clock.today() + ".json";
    Path file = json.orElse(Path.of("benchmarks", "target-bench", standard));
    Optional<Path> parent = Optional.ofNullable(file.toAbsolutePath().getParent());
    if (parent.isPresent()) {
      Files.createDirectories(parent.orElseThrow());
    }
    return Files.writeString(file, report.write(), StandardCharsets.UTF_8);
  }
}
