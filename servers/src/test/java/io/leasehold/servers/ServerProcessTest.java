package io.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A JVM with a server, for a test that kills it. */
  static final class Parent {
    public static void main(String... args) throws IOException {
      ServerProcess server = sleeper(Path.of(args[0]));
      System.out.println(server.pid());
      System.out.println(System.in.read());
    }
  }

  private static ServerProcess sleeper(Path folder) throws IOException {
    return ServerProcess.start(
        Files.createDirectory(folder),
        (port, data) -> new ProcessBuilder("sleep", "1000"),
        port -> true);
  }

  @Test
  void endsWithAJvmThatIsKilled(@TempDir Path temp) throws IOException {
    assumeTrue(Starter.isReliable(), "setpriv --pdeathsig is missing (util-linux)");
    endsWith(temp, Process::destroyForcibly);
  }

  @Test
  void leavesNothingBehindAJvmThatDidNotCloseIt(@TempDir Path temp) throws IOException {
    endsWith(temp, parent -> parent.outputWriter().close());
    assertThat(temp.resolve("server")).doesNotExist();
  }

  /** What ends a JVM with a server. */
  @FunctionalInterface
  private interface End {
    void of(Process parent) throws IOException;
  }

  private static void endsWith(Path temp, End end) throws IOException {
    Process parent =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Parent.class.getName(),
                temp.resolve("server").toString())
            .redirectError(temp.resolve("err").toFile())
            .start();
    try (BufferedReader reader = parent.inputReader()) {
      ProcessHandle server = ProcessHandle.of(Long.parseLong(reader.readLine())).orElseThrow();
      assertThat(server.isAlive()).isTrue();
      end.of(parent);
      await().atMost(PATIENCE).until(() -> !server.isAlive() && !parent.isAlive());
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void livesOnWhenTheThreadThatStartedItEnds(@TempDir Path temp) throws Exception {
    ServerProcess[] started = new ServerProcess[1];
    Thread starter =
        new Thread(
            () -> {
              try {
                started[0] = sleeper(temp.resolve("server"));
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    starter.start();
    starter.join();
    try (ServerProcess server = started[0]) {
      assertThat(server.isAlive()).isTrue();
      server.pause();
      server.resume();
      assertThat(server.isAlive()).isTrue();
    }
  }

  @Test
  void aProgramThatIsMissingIsNamed(@TempDir Path temp) throws IOException {
    Path folder = Files.createDirectory(temp.resolve("server"));
    assertThatThrownBy(
            () ->
                ServerProcess.start(
                    folder, (port, data) -> new ProcessBuilder("no-such-program"), port -> false))
        .hasStackTraceContaining("no-such-program");
    assertThat(folder).doesNotExist();
  }

  @Test
  void closingTwiceIsHarmless(@TempDir Path temp) throws IOException {
    ServerProcess server = sleeper(temp.resolve("server"));
    server.close();
    server.close();
    assertThat(Optional.of(server.isAlive())).contains(false);
  }
}
