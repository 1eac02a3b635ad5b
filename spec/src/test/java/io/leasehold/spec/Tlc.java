package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** TLC, run in a process of its own: it keeps its state in statics, so it runs once a process. */
final class Tlc {
  private static final Pattern VIOLATED =
      Pattern.compile("Error: (?:Invariant|Action property) (\\w+) is violated");
  private static final Pattern DISTINCT = Pattern.compile("(?m)^\\d+ states.* (\\d+) distinct");
  private static final boolean DEEP = Boolean.getBoolean("leasehold.spec.deep");
  private static final long LONGEST_MINUTES = DEEP ? 240 : 10;

  /** For what is over before the second compiler is worth its time. */
  private static final List<String> BRIEF = List.of("-XX:TieredStopAtLevel=1");

  private Tlc() {}

  /** What it said. */
  record Verdict(int exit, String output) {
    /** What is promised and does not hold. */
    Optional<String> violated() {
      Matcher matcher = VIOLATED.matcher(output);
      return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    long distinctStates() {
      Matcher matcher = DISTINCT.matcher(output);
      assertThat(matcher.find()).as(output).isTrue();
      return Long.parseLong(matcher.group(1));
    }

    /** How often an action was taken, where coverage was asked for. */
    long taken(String action) {
      Matcher matcher =
          Pattern.compile("(?m)^<" + action + " line .*>: \\d+:(\\d+)$").matcher(output);
      long most = -1;
      while (matcher.find()) {
        most = Math.max(most, Long.parseLong(matcher.group(1)));
      }
      assertThat(most).as("coverage of %s in %s", action, output).isNotNegative();
      return most;
    }
  }

  /** Checks all of it, and counts how often each action is taken. */
  static Verdict explore(Model model) throws IOException, InterruptedException {
    return run(model, DEEP ? List.of() : BRIEF, "-workers", "2", "-coverage", "60");
  }

  /** Searches a counter-example, always the same one: the shortest. */
  static Verdict search(Model model) throws IOException, InterruptedException {
    return run(model, BRIEF, "-workers", "1");
  }

  private static Verdict run(Model model, List<String> jvm, String... options)
      throws IOException, InterruptedException {
    Path base = Files.createDirectories(Path.of(System.getProperty("leasehold.spec.work")));
    Path work = Files.createTempDirectory(base, model.name());
    Path config = Files.writeString(work.resolve("Model.cfg"), model.text());
    Path output = work.resolve("output.txt");
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-Xmx512m",
            // It unpacks its standard modules there
            "-Djava.io.tmpdir=" + work,
            "-cp",
            tools(),
            tlc2.TLC.class.getName(),
            "-config",
            config.toString(),
            "-metadir",
            work.resolve("states").toString(),
            "-cleanup",
            "-lncheck",
            "final");
    command.command().addAll(1, jvm);
    command.command().addAll(List.of(options));
    command.command().add(model.spec().getFileName().toString());
    // It looks for a configuration beside the specification, if that is given with its directory
    command.directory(model.spec().getParent().toFile());
    Process process = command.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES))
          .as("%s ends within %s min", model.name(), LONGEST_MINUTES)
          .isTrue();
    } finally {
      process.destroyForcibly().waitFor();
    }
    return new Verdict(process.exitValue(), Model.read(output));
  }

  private static String tools() {
    return Path.of(
            java.net.URI.create(
                tlc2.TLC.class.getProtectionDomain().getCodeSource().getLocation().toString()))
        .toString();
  }
}
