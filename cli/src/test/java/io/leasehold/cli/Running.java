package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A started command. Closing it ends it, and what it started. */
record Running(Process process, Path out, Path err) implements AutoCloseable {

  /** How a command ended. */
  record Result(int code, String out, String err) {}

  long pid() {
    return process.pid();
  }

  void signal(String name) {
    Tool.signal(name, pid());
  }

  /** Waits for its end. */
  Result end() {
    return end(Tool.PATIENCE);
  }

  Result end(Duration patience) {
    try {
      assertThat(process.waitFor(patience.toSeconds(), TimeUnit.SECONDS))
          .as("ends; on stderr: %s", Tool.read(err))
          .isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return new Result(process.exitValue(), Tool.read(out), Tool.read(err));
  }

  /** Waits until it has said this on stderr. */
  Running awaitSaid(String text) {
    await().atMost(Tool.PATIENCE).until(() -> Tool.read(err).contains(text));
    return this;
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
