package io.leasehold.cli;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The command, running: with this process's own stdin, terminal and process group, and its stdout
 * and stderr unless they are asked for.
 */
final class ChildProcess {
  /**
   * Runs what stands behind the words in this process's own command line, as bytes, which Java
   * cannot pass on. The arguments are this process's id and how many words come before.
   */
  private static final String RUN_BYTES =
      "mapfile -d '' -t words < \"/proc/$1/cmdline\" && exec -- \"${words[@]: -$2}\"";

  /**
   * A Java before 25 blocks QUIT in what it starts. Where it does, the launching script names an
   * {@code env} here that undoes it.
   */
  private static final String ENV = "io.leasehold.cli.env";

  private final Process process;
  private final ProcessTree tree;

  /** When it began. */
  private final LinuxProcess.Terminal terminal = LinuxProcess.terminal();

  private ChildProcess(Process process, ProcessTree tree) {
    this.process = process;
    this.tree = tree;
  }

  /**
   * Starts it. On Linux it dies with this process, even if that is killed: the kernel watches the
   * thread that calls this, which must therefore live as long as the command, and {@code setpriv}
   * is there to ask the kernel for it.
   *
   * @param out where its stdout goes
   * @param err where its stderr goes
   * @throws NotStartedException if there is no such command, or it cannot be executed
   */
  static ChildProcess start(
      List<String> words, boolean intact, Holding holding, Redirect out, Redirect err) {
    SearchPath path = SearchPath.of(System.getenv("PATH"));
    List<String> all = new ArrayList<>();
    path.find("setpriv")
        .filter(ChildProcess::isUtilLinux)
        .ifPresent(setpriv -> all.addAll(List.of(setpriv.getPath(), "--pdeathsig", "KILL", "--")));
    closed().ifPresent(closing -> all.addAll(List.of("/bin/sh", "-c", closing, "sh")));
    String env = System.getProperty(ENV, "");
    if (!env.isEmpty() && words.get(0).indexOf('=') < 0) {
      all.addAll(List.of(env, "--default-signal=QUIT", "--"));
    }
    if (intact) {
      path.requireExecutable(words.get(0));
      all.addAll(words);
    } else {
      all.addAll(
          List.of(
              "/bin/bash",
              "-c",
              RUN_BYTES,
              "leasehold",
              Long.toString(ProcessHandle.current().pid()),
              Integer.toString(words.size())));
    }
    ProcessBuilder builder =
        new ProcessBuilder(all)
            .redirectInput(Redirect.INHERIT)
            .redirectOutput(out)
            .redirectError(err);
    ChildEnvironment.prepare(builder.environment(), holding);
    try {
      Process process = builder.start();
      return new ChildProcess(process, new ProcessTree(process, holding.id()));
    } catch (IOException e) {
      throw new NotStartedException(ExitCode.NOT_EXECUTABLE, words.get(0) + ": cannot be executed");
    }
  }

  /** A shell's line that closes what was closed when the launching script began, if anything. */
  private static Optional<String> closed() {
    String closed = System.getenv(ChildEnvironment.CLOSED);
    return closed == null
        ? Optional.empty()
        : Optional.of("exec \"$@\"" + closed.replaceAll("([0-9])", " $1>&-"));
  }

  /** Busybox has a setpriv that does not know of death signals. */
  private static boolean isUtilLinux(File setpriv) {
    try {
      return setpriv.getCanonicalFile().getName().equals("setpriv");
    } catch (IOException e) {
      return false;
    }
  }

  ProcessTree tree() {
    return tree;
  }

  /** Whether it ended within this time. */
  boolean waitFor(Duration atMost) throws InterruptedException {
    return process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** What it returned; 128 + n if signal n ended it. */
  int exitCode() {
    return process.exitValue();
  }

  /**
   * Passes on a signal that this process got, unless the command got it too: what is typed at their
   * terminal, and its end. What it left behind gets it when the command has ended.
   */
  void pass(String signal) {
    if (isForBoth(signal)) {
      return;
    }
    if (!process.isAlive()) {
      tree.signal(signal);
    } else if (signal.equals("TERM")) {
      process.destroy();
    } else {
      Kill.send(signal, Stream.of(process.toHandle()));
    }
  }

  private boolean isForBoth(String signal) {
    LinuxProcess.Terminal now = LinuxProcess.terminal();
    return switch (signal) {
      case "INT" -> now.isForeground();
      // With the HUP the terminal has gone
      case "HUP" -> !now.leads() && (now.isThere() ? now : terminal).isForeground();
      default -> false;
    };
  }
}
