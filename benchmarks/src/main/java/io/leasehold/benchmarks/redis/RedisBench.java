package io.leasehold.benchmarks.redis;

import io.leasehold.servers.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import redis.clients.jedis.Jedis;

/** {@code ./bench redis}. */
@Command(
    name = "./bench redis",
    description = "Leasehold and other libraries on one private Redis server, in turns.",
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    exitCodeOnExecutionException = 1,
    mixinStandardHelpOptions = true)
public final class RedisBench implements Callable<Integer> {
  @Option(names = "--rounds", defaultValue = "5", description = "how many (5)")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "1.5", description = "of each measurement (1.5)")
  private double seconds;

  @Option(
      names = "--only",
      split = ",",
      description =
          "which scenarios: pair, own-names, one-process, processes, fair, work, hand-over, held, inside (all)")
  private Set<String> only = Set.of();

  @Option(
      names = "--peers",
      split = ",",
      description = "who is measured beside Leasehold: redisson, spring, jedis, lettuce, jdk (all)")
  private Set<String> peers = Set.of();

  @Option(
      names = "--server",
      defaultValue = "REDIS_7_0",
      description = "which server: ${COMPLETION-CANDIDATES} (REDIS_7_0)")
  private RedisServer.Kind kind = RedisServer.Kind.REDIS_7_0;

  @Option(names = "--json", description = "where the results go, as JSON")
  private Optional<Path> json = Optional.empty();

  @Option(names = "--markdown", description = "print tables in Markdown")
  private boolean markdown;

  /**
   * Exits with 0 if every target was met, 1 if one was missed or something failed, 64 if the
   * arguments are wrong.
   */
  public static void main(String... args) {
    System.exit(exitCode(args));
  }

  /** As {@link #main}, without the exit. */
  public static int exitCode(String... args) {
    return new CommandLine(new RedisBench()).execute(args);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Scenario> scenarios = scenarios();
    Settings settings = Settings.full(Duration.ofNanos((long) (seconds * 1e9)));
    try (Servers servers = Servers.start(kind)) {
      Stage stage = servers.stage();
      Run run = new Run(stage, settings, scenarios, contenders(), System.err::println);
      run.warmUp();
      Results results = run.rounds(rounds);
      Report report =
          new Report(
              machine(servers.port()),
              results.sections(scenarios),
              stage.exclusions(),
              run.failures());
      System.out.println(markdown ? Tables.markdown(report) : Tables.text(report));
      System.out.println("  " + write(report));
      return report.isBad() ? 1 : 0;
    }
  }

  private List<Scenario> scenarios() {
    Set<String> names =
        Scenarios.all().stream()
            .map(Scenario::name)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    if (!names.containsAll(only)) {
      throw new ParameterException(new CommandLine(this), "the scenarios are " + names);
    }
    return Scenarios.all().stream()
        .filter(scenario -> only.isEmpty() || only.contains(scenario.name()))
        .toList();
  }

  private Set<Contender> contenders() {
    return Stream.of(Contender.values())
        .filter(each -> each.library() == Library.LEASEHOLD || isPeer(each.library()))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Contender.class)));
  }

  private boolean isPeer(Library library) {
    return peers.isEmpty() || peers.stream().anyMatch(library.name()::equalsIgnoreCase);
  }

  private Map<String, String> machine(int port) throws IOException {
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("date", Clock.today().toString());
    machine.put("rounds", rounds + " of " + seconds + " s");
    machine.put("processors", Runtime.getRuntime().availableProcessors() + model());
    machine.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    machine.put("Java", Runtime.version() + ", " + ChildProcess.jvmArguments());
    machine.put("server", serverVersion(port));
    machine.put(
        "libraries",
        Stream.of(Library.values())
            .map(Library::jar)
            .filter(jar -> !jar.isEmpty())
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

  private static String serverVersion(int port) {
    try (Jedis jedis = new Jedis("127.0.0.1", port)) {
      return jedis
          .info("server")
          .lines()
          .filter(line -> line.matches("(redis|valkey)_version:.*"))
          .collect(Collectors.joining(", "));
    }
  }

  private Path write(Report report) throws IOException {
    Path file =
        json.orElse(Path.of("benchmarks", "target-bench", "redis-" + Clock.today() + ".json"));
    Optional<Path> parent = Optional.ofNullable(file.toAbsolutePath().getParent());
    if (parent.isPresent()) {
      Files.createDirectories(parent.orElseThrow());
    }
    return Files.writeString(file, new JsonReport(report).write(), StandardCharsets.UTF_8);
  }
}
