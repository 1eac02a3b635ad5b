package io.leasehold.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A Java process that runs the main method of a test class with the class path of the test. A test
 * says lines to it and reads the lines that it prints; it ends when it is closed. For one thread.
 */
public final class JavaProcess implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final BufferedReader out;

  private JavaProcess(Process process) {
    this.process = process;
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts one with these arguments. */
  public static JavaProcess start(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    try {
      return new JavaProcess(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends it a line. */
  public void say(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads on until a line begins so; yields what follows.
   *
   * @throws AssertionError if there is none in a minute, or the process has ended
   */
  public String await(String beginning) {
    return lines(beginning).stream().reduce((first, last) -> last).orElseThrow();
  }

  /** All that it prints until a line begins so; of that one what follows. */
  public List<String> lines(String beginning) {
    List<String> lines = new ArrayList<>();
    while (true) {
      String line = line(beginning, lines);
      if (line.startsWith(beginning)) {
        lines.add(line.substring(beginning.length()).trim());
        return lines;
      }
      lines.add(line);
    }
  }

  private String line(String wanted, List<String> before) {
    CompletableFuture<Optional<String>> line = CompletableFuture.supplyAsync(this::read);
    try {
      return line.get(PATIENCE_SECONDS, TimeUnit.SECONDS)
          .orElseThrow(() -> new AssertionError("no '" + wanted + "', it ended after " + before));
    } catch (TimeoutException e) {
      close();
      throw new AssertionError("no '" + wanted + "' in time, but " + before, e);
    } catch (ExecutionException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Optional<String> read() {
    try {
      return Optional.ofNullable(out.readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends it a signal by name, for example {@code STOP}. */
  public void signal(String name) {
    try {
      Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
      if (kill.waitFor() != 0) {
        throw new AssertionError("the process has ended, and takes no signal " + name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Kills it, and waits for its end. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
