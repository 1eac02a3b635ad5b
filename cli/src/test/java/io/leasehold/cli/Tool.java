package io.leasehold.cli;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The command as its users have it: {@code ./leasehold} of this checkout, as a process, on a store
 * of the test's own.
 */
final class Tool {
  static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final AtomicInteger RUNS = new AtomicInteger();

  private final Path directory;
  private final Path script;
  private final Map<String, String> set = new TreeMap<>();
  private final List<String> unset =
      new ArrayList<>(List.of("LC_ALL", "LANG", "JAVA_TOOL_OPTIONS"));

  Tool(Path directory) {
    this(directory, Built.SCRIPT);
  }

  Tool(Path directory, Path script) {
    this.directory = directory;
    this.script = script;
    set.put("LEASEHOLD_STORE", "file:" + store());
  }

  /** The script, once what it runs is built: a test's first call must not say that it builds. */
  private static final class Built {
    static final Path SCRIPT = root().resolve("leasehold");

    static {
      try {
        new ProcessBuilder(SCRIPT.toString(), "--version")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The root of this checkout. */
  static Path root() {
    Path at = Path.of("").toAbsolutePath();
    while (!Files.exists(at.resolve("leasehold"))) {
      at = at.getParent();
    }
    return at;
  }

  /** The file that is the store. */
  Path store() {
    return directory.resolve("locks.db");
  }

  /** A file of the test. */
  Path file(String name) {
    return directory.resolve(name);
  }

  Tool with(String variable, String value) {
    unset.remove(variable);
    set.put(variable, value);
    return this;
  }

  Tool without(String variable) {
    set.remove(variable);
    unset.add(variable);
    return this;
  }

  /** Runs the command to its end. */
  Running.Result run(String... arguments) {
    try (Running running = start(arguments)) {
      return running.end();
    }
  }

  /** Starts the command; it has no input. */
  Running start(String... arguments) {
    return start(Path.of("/dev/null"), arguments);
  }

  Running start(Path input, String... arguments) {
    List<String> words = new ArrayList<>(List.of(script.toString()));
    words.addAll(List.of(arguments));
    return startProcess(input, words);
  }

  /**
   * Signals that the tests' own starter ignores, as nohup and background jobs do, would stay
   * ignored.
   */
  private static final class SignalDefaults {
    static final List<String> AS_FROM_A_TERMINAL = words();

    private static List<String> words() {
      List<String> env = List.of("/usr/bin/env", "--default-signal=HUP,INT,TERM,USR1,USR2");
      try {
        List<String> probe = new ArrayList<>(env);
        probe.add("true");
        Process process = new ProcessBuilder(probe).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        return process.waitFor() == 0 ? env : List.of();
      } catch (IOException e) {
        return List.of();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return List.of();
      }
    }
  }

  /** Starts any process in the command's surroundings. */
  Running startProcess(Path input, List<String> words) {
    int n = RUNS.incrementAndGet();
    Path out = file("out." + n);
    Path err = file("err." + n);
    List<String> all = new ArrayList<>(SignalDefaults.AS_FROM_A_TERMINAL);
    all.addAll(words);
    ProcessBuilder builder =
        new ProcessBuilder(all)
            .directory(directory.toFile())
            .redirectInput(input.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    unset.forEach(builder.environment()::remove);
    builder.environment().putAll(set);
    try {
      return new Running(builder.start(), out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a run that holds {@code name} until it is ended, and waits until it holds it. */
  Running hold(String name, String... options) {
    Path held = file("held." + RUNS.incrementAndGet());
    List<String> words = new ArrayList<>(List.of("run", name));
    words.addAll(List.of(options));
    words.addAll(
        List.of("--", "sh", "-c", "echo $LEASEHOLD_TOKEN > '" + held + "'; exec sleep 600"));
    Running running = start(words.toArray(String[]::new));
    awaitContent(held);
    return running;
  }

  /** Waits until this process waits for {@code name}. */
  void awaitWaits(String name, Running waiter) {
    String line = "(?s).*waits [^\n]*/" + waiter.pid() + "/.*";
    await().atMost(PATIENCE).until(() -> run("who", name).out().matches(line));
  }

  /** What a command wrote to a file, once it has written a line. */
  static String awaitContent(Path file) {
    await().atMost(PATIENCE).until(() -> Files.exists(file) && read(file).endsWith("\n"));
    return read(file).strip();
  }

  static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a signal. */
  static void signal(String signal, long pid) {
    try {
      new ProcessBuilder("kill", "-" + signal, "--", Long.toString(pid))
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor(10, TimeUnit.SECONDS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether a process runs: a zombie does not. */
  static boolean runs(long pid) {
    Path stat = Path.of("/proc/" + pid + "/stat");
    try {
      String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
      return text.charAt(text.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }
}
