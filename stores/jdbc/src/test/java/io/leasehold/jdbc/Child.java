package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A Java process of its own that runs the main method of a test class. Killed when it is closed.
 */
final class Child implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final BufferedReader out;

  /** What it has printed, for the message of a test that fails. */
  private final List<String> said = new ArrayList<>();

  private Child(Process process) {
    this.process = process;
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  static Child start(Path dir, Class<?> main, String... args) {
    return start(dir, List.of(), main, args);
  }

  /**
   * Starts it.
   *
   * @param dir where it may leave files
   * @param prefix a command that executes the one that follows
   */
  static Child start(Path dir, List<String> prefix, Class<?> main, String... args) {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx64m"));
    command.add("-Dorg.sqlite.tmpdir=" + dir);
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    for (String arg : args) {
      command.add(patient(arg));
    }
    try {
      return new Child(new ProcessBuilder(command).redirectErrorStream(true).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With more than 5 s to connect to PostgreSQL, within which its driver loads its classes. */
  private static String patient(String arg) {
    return arg.startsWith("jdbc:postgresql:") ? arg + "&loginTimeout=30" : arg;
  }

  /** The next line it prints. */
  String line() {
    try {
      String line = out.readLine();
      assertThat(line).as("a line of the child, which ended instead, after %s", said).isNotNull();
      said.add(line);
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends it a line. */
  void say(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends it a line and returns the next that it prints. */
  String ask(String line) {
    say(line);
    return line();
  }

  /** Sends it a signal by name. */
  void signal(String name) {
    run("kill", "-" + name, Long.toString(process.pid()));
  }

  /**
   * What to start a child with so that it can mount things where no other process sees them; none
   * if that is not possible here.
   */
  static Optional<List<String>> ownMounts(String setUp) {
    for (List<String> unshare :
        List.of(
            List.of("unshare", "--mount"),
            List.of("unshare", "--user", "--map-root-user", "--mount"))) {
      List<String> prefix = new ArrayList<>(unshare);
      prefix.addAll(List.of("sh", "-c", setUp + " && exec \"$@\"", "sh"));
      List<String> test = new ArrayList<>(prefix);
      test.add("true");
      if (run(test.toArray(String[]::new))) {
        return Optional.of(prefix);
      }
    }
    return Optional.empty();
  }

  /** Waits for its end and returns all that it printed, and its exit status in the last line. */
  List<String> end() {
    try {
      List<String> lines = new ArrayList<>(out.lines().toList());
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("child ends").isTrue();
      lines.add("exit " + process.exitValue());
      return lines;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs a command of the system; whether it succeeded. */
  static boolean run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
