package io.leasehold.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** What {@code packaging/assemble} makes of this build, and processes that use it. */
final class Packages {
  private static final String BUILD = System.getProperty("leasehold.build", "target");
  private static final List<String> NOT_OF_THE_CALLER =
      List.of("LC_ALL", "LANG", "JAVA_TOOL_OPTIONS", "LEASEHOLD_STORE_FILE", "MANPATH");

  private final Path directory;
  private final Map<String, String> environment = new TreeMap<>();

  /** Assembles them in {@code directory}. */
  Packages(Path directory) {
    this.directory = directory;
    environment.put("LEASEHOLD_STORE", "file:" + directory.resolve("locks.db"));
    environment.put("XDG_CACHE_HOME", directory.resolve("cache").toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("LC_ALL", "C.UTF-8");
    run(root().resolve("packaging/assemble").toString(), BUILD, out().toString());
  }

  /** How a process ended; what it wrote to both streams. */
  record Ended(int code, String text) {}

  static Path root() {
    Path at = Path.of("").toAbsolutePath();
    while (!Files.exists(at.resolve("leasehold"))) {
      at = at.getParent();
    }
    return at;
  }

  /** The folders of the modules whose jars are published. */
  static List<String> published() {
    return all("<module>(.*)</module>", text(root().resolve("pom.xml"))).stream()
        .filter(module -> !pom(module).contains("<maven.deploy.skip>true<"))
        .filter(module -> !pom(module).contains("<packaging>pom<"))
        .toList();
  }

  /** The name of a module outside of this build. */
  static String artifact(String module) {
    String pom = pom(module);
    return all("<artifactId>(.*)</artifactId>", pom.substring(pom.indexOf("</parent>"))).get(0);
  }

  private static String pom(String module) {
    return text(root().resolve(module).resolve("pom.xml"));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the group of a pattern matches, wherever it does. */
  static List<String> all(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
  }

  /** The folder in which Maven built the jar of a module. */
  static Path built(String module) {
    return root().resolve(module).resolve(BUILD);
  }

  /** What was assembled. */
  Path out() {
    return directory.resolve("out");
  }

  Packages with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Runs a process that must succeed; what it wrote. */
  String run(String... words) {
    Ended ended = end(words);
    assertThat(ended.code()).as("%s: %s", List.of(words), ended.text()).isZero();
    return ended.text();
  }

  /** Runs a process to its end. */
  Ended end(String... words) {
    try {
      Path text = Files.createTempFile(directory, "text", "");
      Process process = start(text, words);
      try {
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("%s ends", List.of(words)).isTrue();
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      return new Ended(process.exitValue(), Files.readString(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Starts a process that writes both streams to {@code text}. */
  Process start(Path text, String... words) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(new ArrayList<>(List.of(words)))
            .directory(directory.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(text.toFile());
    NOT_OF_THE_CALLER.forEach(builder.environment()::remove);
    builder.environment().putAll(environment);
    return builder.start();
  }

  /** Whether this machine has a program. */
  boolean has(String program) {
    return end("sh", "-c", "command -v " + program).code() == 0;
  }
}
