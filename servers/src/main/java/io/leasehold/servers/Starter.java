package io.leasehold.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts processes that the kernel kills when this JVM ends, even by {@code kill -9}; not where
 * there is no {@code setpriv} that can ask for that.
 */
final class Starter {
  /** The kernel kills a child when the thread that started it ends, so this one never does. */
  private static final ExecutorService THREAD =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "server-starter");
            thread.setDaemon(true);
            return thread;
          });

  private static final List<String> WRAPPER = wrapper();

  private Starter() {}

  static Process start(ProcessBuilder builder) throws IOException {
    List<String> command = new ArrayList<>(WRAPPER);
    command.addAll(builder.command());
    builder.command(command);
    try {
      return THREAD.submit(builder::start).get();
    } catch (ExecutionException e) {
      throw new IOException("cannot start " + command.get(WRAPPER.size()), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while starting a server", e);
    }
  }

  /** Whether it is the kernel that ends the processes. */
  static boolean isReliable() {
    return !WRAPPER.isEmpty();
  }

  private static List<String> wrapper() {
    List<String> wrapper = List.of("setpriv", "--pdeathsig", "KILL", "--");
    List<String> probe = new ArrayList<>(wrapper);
    probe.add("true");
    try {
      Process process = new ProcessBuilder(probe).start();
      return process.waitFor() == 0 ? wrapper : List.of();
    } catch (IOException noSuchProgram) {
      return List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }
}
