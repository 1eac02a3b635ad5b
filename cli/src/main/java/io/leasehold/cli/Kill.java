package io.leasehold.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Sends signals that Java itself cannot: every one but TERM and KILL. */
final class Kill {
  private Kill() {}

  /** Sends a signal to those that still live. A process that cannot be signalled is passed over. */
  static void send(String signal, Stream<ProcessHandle> processes) {
    // The shell's own kill: a kill command is not on every machine
    List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", "kill -s \"$0\" \"$@\"", signal));
    processes
        .filter(ProcessHandle::isAlive)
        .forEach(process -> words.add(Long.toString(process.pid())));
    if (words.size() == 4) {
      return;
    }
    try {
      new ProcessBuilder(words)
          .redirectInput(Redirect.from(new java.io.File("/dev/null")))
          .redirectOutput(Redirect.DISCARD)
          .redirectError(Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      // No shell to ask: TERM and KILL do not come this way
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
