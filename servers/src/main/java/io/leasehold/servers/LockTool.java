package io.leasehold.servers;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/**
 * A lock command of others, as a process: it prints a line when it holds the lock, and holds it
 * until it ends.
 */
public final class LockTool implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Process process;

  private LockTool(Process process) {
    this.process = process;
  }

  /** Starts it. Its input stays open until {@link #close}. */
  static LockTool start(ProcessBuilder command) {
    try {
      return new LockTool(command.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether it has got the lock. */
  public boolean hasHeld() {
    try {
      return process.getInputStream().available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it has got the lock. */
  public LockTool awaitHeld() {
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(PATIENCE)
        .until(this::hasHeld);
    return this;
  }

  /** Asks it to end, upon which it releases the lock, and waits until it has ended. */
  public void end() {
    signal("TERM");
  }

  /** Kills it, so that it releases nothing. */
  public void kill() {
    signal("KILL");
  }

  private void signal(String name) {
    Programs.run(List.of("sh", "-c", "kill -" + name + " " + process.pid()), "kill -" + name);
    process.onExit().join();
  }

  /** Kills it if it runs, and ends the input of what it has started. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
