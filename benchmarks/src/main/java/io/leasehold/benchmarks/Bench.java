package io.leasehold.benchmarks;

import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import javax.management.JMException;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs a scenario and prints its figures beside their targets. */
final class Bench {
  private static final int USAGE = 64;

  private final Options given;

  /**
   * A bench.
   *
   * @param given what goes before the benchmarks' own settings
   */
  Bench(Options given) {
    this.given = given;
  }

  /**
   * Exits with 0 if every target was met, 1 if one was missed or something failed, 64 if the
   * arguments are wrong.
   */
  public static void main(String... args) {
    System.exit(exitCode(args));
  }

  private static int exitCode(String... args) {
    String scenario = args.length == 0 ? "" : args[0];
    if (!List.of("core", "objects", "spring").contains(scenario)) {
      return failed(USAGE, "the scenarios are: core, objects, spring");
    }
    String[] jmhArgs = List.of(args).subList(1, args.length).toArray(String[]::new);
    try {
      List<Figure> figures =
          switch (scenario) {
            case "core" -> new Core(new Bench(new CommandLineOptions(jmhArgs)), 5).figures();
            case "spring" -> new Spring(new Bench(new CommandLineOptions(jmhArgs))).figures();
            default -> new Allocations(4_000_000, 200_000).figures();
          };
      print(figures);
      return figures.stream().anyMatch(Figure::isMissed) ? 1 : 0;
    } catch (CommandLineOptionException e) {
      return failed(USAGE, String.valueOf(e.getMessage()));
    } catch (RunnerException e) {
      return failed(1, String.valueOf(e.getCause() == null ? e : e.getCause()));
    } catch (JMException | InterruptedException e) {
      return failed(1, e.toString());
    }
  }

  private static int failed(int exitCode, String why) {
    System.err.println("bench: " + why);
    return exitCode;
  }

  private static void print(List<Figure> figures) {
    int processors = Runtime.getRuntime().availableProcessors();
    System.out.println("\n  Java " + Runtime.version() + ", " + processors + " processors\n");
    figures.forEach(figure -> System.out.println(figure.line()));
    if (figures.stream().noneMatch(Figure::hasTarget)) {
      return;
    }
    long missed = figures.stream().filter(Figure::isMissed).count();
    System.out.println(missed == 0 ? "\n  PASS" : "\n  MISS: " + missed + " targets missed");
  }

  /** Runs one benchmark. */
  RunResult run(Class<?> benchmarks, String method) throws RunnerException {
    return run("^" + Pattern.quote(benchmarks.getName() + "." + method) + "$", options -> options)
        .iterator()
        .next();
  }

  /** Runs all benchmarks of a class. */
  Collection<RunResult> run(Class<?> benchmarks, UnaryOperator<ChainedOptionsBuilder> settings)
      throws RunnerException {
    return run("^" + Pattern.quote(benchmarks.getName() + "."), settings);
  }

  private Collection<RunResult> run(String include, UnaryOperator<ChainedOptionsBuilder> settings)
      throws RunnerException {
    System.err.println("bench: " + include.replaceAll("\\\\[QE]|[\\^$]", ""));
    ChainedOptionsBuilder options = new OptionsBuilder().parent(given).include(include);
    options.shouldFailOnError(true);
    if (!given.verbosity().hasValue()) {
      options.verbosity(VerboseMode.SILENT);
    }
    return new Runner(settings.apply(options).build()).run();
  }
}
