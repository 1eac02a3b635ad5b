package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.runner.Task.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Child} as who started it sees it. */
public final class ChildProcess implements AutoCloseable {
  /** The same for all; the tests, which measure nothing, choose cheaper ones. */
  private static final List<String> JVM =
      List.of(System.getProperty("leasehold.bench.jvm", "-Xms256m -Xmx512m").split(" ", -1));

  private static final String ENDED = "";

  private final Process process;
  private final Path log;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private ChildProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    Thread reader = new Thread(this::read, "answers of " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** The arguments of every child's virtual machine. */
  static String jvmArguments() {
    return String.join(" ", JVM);
  }

  /**
   * Starts one.
   *
   * @param dir where it may leave files
   */
  static ChildProcess start(Path dir, Library library, String url, Duration ttl) {
    try {
      Path log = Files.createTempFile(dir, library.name(), ".log");
      List<String> arguments = new java.util.ArrayList<>();
      arguments.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      arguments.addAll(JVM);
      arguments.addAll(List.of("-Djava.io.tmpdir=" + dir, "-cp", classPath()));
      arguments.addAll(
          List.of(Child.class.getName(), library.getDeclaringClass().getName(), library.name()));
      arguments.addAll(List.of(url, String.valueOf(ttl.toMillis())));
      ProcessBuilder builder = new ProcessBuilder(arguments).redirectError(log.toFile());
      return new ChildProcess(builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      lines.lines().forEach(answers::add);
    } catch (IOException | UncheckedIOException e) {
      answers.add(new Answer(java.util.Map.of(), e.toString()).line());
    }
    answers.add(ENDED);
  }

  /** Makes sure that it is there and shares this process's clock. */
  ChildProcess ready() throws InterruptedException {
    long before = Clock.nanos();
    double its = ask(Task.clock()).value("nanos");
    if (its < before || its > Clock.nanos()) {
      throw new IllegalStateException("the clocks of two processes differ");
    }
    return this;
  }

  /** Gives it a task. */
  void tell(Task task) {
    try {
      process.getOutputStream().write((task.line() + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(said(), e);
    }
  }

  /** What came of the task. */
  Answer answer() throws InterruptedException {
    String line = Optional.ofNullable(answers.poll(2, TimeUnit.MINUTES)).orElse(ENDED);
    if (line.equals(ENDED)) {
      throw new IllegalStateException("no answer; " + said());
    }
    Answer answer = Answer.parse(line);
    if (!answer.error().isEmpty()) {
      throw new IllegalStateException(answer.error() + "; " + said());
    }
    return answer;
  }

  /** Gives it a task and awaits the end of it. */
  public Answer ask(Task task) throws InterruptedException {
    tell(task);
    return answer();
  }

  private String said() {
    try {
      List<String> lines = Files.readAllLines(log);
      return "it said: " + String.join("\n", lines.subList(0, Math.min(lines.size(), 20)));
    } catch (IOException e) {
      return "it left no log: " + e;
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
