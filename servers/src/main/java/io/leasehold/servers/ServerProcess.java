package io.leasehold.servers;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A server on a loopback port, in a temporary folder. It ends with this JVM, however that ends, and
 * its folder goes unless the JVM was killed.
 *
 * <p>Methods return once what they say has happened; they throw {@link IllegalStateException} with
 * the end of the server's log if it does not happen. Any thread may call them, one at a time.
 */
public final class ServerProcess implements AutoCloseable {
  /** How a server is started. */
  @FunctionalInterface
  public interface Launch {
    /**
     * The command, and its environment.
     *
     * @param port where it shall listen, on 127.0.0.1
     * @param data an existing folder for what it keeps, also where it runs
     */
    ProcessBuilder on(int port, Path data) throws IOException;
  }

  /** Whether a server is ready. */
  @FunctionalInterface
  public interface Probe {
    /** Asks once, for a few seconds at most; an exception means "not yet". */
    boolean answers(int port) throws IOException;
  }

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Path folder;
  private final Launch launch;
  private final Probe probe;
  private final Thread hook = new Thread(this::end, "server-end");
  private int port;
  private volatile @Nullable Process process;
  private volatile boolean paused;

  private ServerProcess(Path folder, Launch launch, Probe probe) {
    this.folder = folder;
    this.launch = launch;
    this.probe = probe;
  }

  /**
   * Starts a server on a free port.
   *
   * @param folder a folder of its own; {@link #close()} deletes it
   */
  public static ServerProcess start(Path folder, Launch launch, Probe probe) {
    ServerProcess server = new ServerProcess(folder, launch, probe);
    Runtime.getRuntime().addShutdownHook(server.hook);
    try {
      server.startOnFreePort();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Another process may take a port between its being found free and the server's start. */
  private void startOnFreePort() {
    for (int attempt = 1; ; attempt++) {
      port = Ports.free();
      try {
        start();
        return;
      } catch (IllegalStateException e) {
        if (attempt == 5 || Ports.isFree(port)) {
          throw e;
        }
      }
    }
  }

  /** Starts it again after {@link #stop()} or {@link #kill()}, on the same port and data. */
  public void start() {
    try {
      ProcessBuilder builder = launch.on(port, Files.createDirectories(data()));
      builder.directory(data().toFile()).redirectErrorStream(true);
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
      Process started = Starter.start(builder);
      process = started;
      started.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    awaitAnswer();
  }

  /** Starts it again without the data that it had. */
  public void startEmpty() {
    Folders.delete(data());
    start();
  }

  private void awaitAnswer() {
    try {
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(10))
          .atMost(PATIENCE)
          .until(() -> !isAlive() || answers());
    } catch (ConditionTimeoutException e) {
      kill();
      throw failure("did not answer in " + PATIENCE.toSeconds() + " s", e);
    }
    if (!isAlive()) {
      throw failure("ended at its start with exit code " + process().exitValue(), null);
    }
  }

  private boolean answers() {
    try {
      return probe.answers(port);
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Asks it to end, as an administrator does; kills it if it has not in 10 seconds. */
  public void stop() {
    stop("TERM");
  }

  /** Asks it to end by another signal than {@link #stop()}. */
  void stop(String signal) {
    signal(signal, List.of(process().toHandle()));
    resume();
    if (!hasEndedIn(Duration.ofSeconds(10))) {
      kill();
    }
  }

  /** Kills it and the processes that it started: what it had not written is lost. */
  public void kill() {
    if (children().findAny().isPresent()) {
      pause(); // it starts no more of them
    }
    List<ProcessHandle> children = children().toList();
    children.forEach(ProcessHandle::destroyForcibly);
    process().destroyForcibly();
    if (!hasEndedIn(PATIENCE)) {
      throw failure("did not die in " + PATIENCE.toSeconds() + " s", null);
    }
    await()
        .pollInterval(Duration.ofMillis(1))
        .atMost(PATIENCE)
        .until(() -> children.stream().allMatch(ServerProcess::hasEnded));
    paused = false;
  }

  /** It stands still with the processes that it started, and its connections stay open. */
  public void pause() {
    stop(List.of(process().toHandle()));
    paused = true;
    stop(children().toList());
  }

  /** On a busy machine a process may do something more after the signal was sent. */
  private static void stop(List<ProcessHandle> processes) {
    signal("STOP", processes);
    await("processes that are stopped")
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> processes.stream().allMatch(ServerProcess::isStopped));
  }

  /** By what the kernel says of it, after its name in brackets; true where it does not say. */
  private static boolean isStopped(ProcessHandle each) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(each.pid()), "stat"));
      return "TtZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** It goes on after {@link #pause()}. */
  public void resume() {
    if (paused) {
      signal("CONT", Stream.concat(children(), Stream.of(process().toHandle())).toList());
      paused = false;
    }
  }

  private Stream<ProcessHandle> children() {
    return process().descendants();
  }

  private static void signal(String signal, List<ProcessHandle> processes) {
    if (!processes.isEmpty()) {
      // kill is built into the shell; as a program it is not on every machine
      StringBuilder kill = new StringBuilder("kill -" + signal);
      processes.forEach(each -> kill.append(' ').append(each.pid()));
      Programs.run(List.of("sh", "-c", kill.toString()), "kill -" + signal);
    }
  }

  /** A zombie has ended, although its parent may never ask for its exit code. */
  private static boolean hasEnded(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
      return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
    } catch (IOException gone) {
      return true;
    }
  }

  private boolean hasEndedIn(Duration patience) {
    try {
      return process().waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      process().destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the server ends", e);
    }
  }

  /** Where it listens, on 127.0.0.1; the same all its life. */
  public int port() {
    return port;
  }

  /** The process that runs, or ran last. */
  public long pid() {
    return process().pid();
  }

  /** Whether it runs. */
  public boolean isAlive() {
    Process last = process;
    return last != null && last.isAlive();
  }

  /** The folder with what it keeps. */
  public Path data() {
    return folder.resolve("data");
  }

  /** All that it printed, over all its starts. */
  public Path log() {
    return folder.resolve("server.log");
  }

  /** Kills it and deletes its folder. */
  @Override
  public void close() {
    end();
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  /** Also at the end of a JVM that did not close it: what it kept may be in memory. */
  private void end() {
    if (isAlive()) {
      kill();
    }
    Folders.delete(folder);
  }

  private Process process() {
    Process last = process;
    if (last == null) {
      throw new IllegalStateException("it was never started");
    }
    return last;
  }

  private IllegalStateException failure(String what, @Nullable Throwable cause) {
    List<String> end = new ArrayList<>();
    try {
      List<String> lines = Files.readAllLines(log(), StandardCharsets.UTF_8);
      end.addAll(lines.subList(Math.max(0, lines.size() - 20), lines.size()));
    } catch (IOException e) {
      end.add("no log: " + e);
    }
    String name = String.valueOf(folder.getFileName());
    return new IllegalStateException(
        "the server in " + name + " " + what + "; its log ends:\n" + String.join("\n", end), cause);
  }
}
