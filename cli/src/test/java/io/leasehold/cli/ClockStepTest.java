package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The wall clock runs ahead while a command runs: an administrator set it, or the host was
 * suspended. The ttls are so long that nothing else happens meanwhile.
 */
class ClockStepTest {
  private static final String UNTIL_DONE =
      "echo > ready; until [ -e done ]; do read -rt 0.02 <> <(:); done; exit 3";

  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void toolWhoseWallClockCanBeSet() throws Exception {
    Path shim = directory.resolve("shim.so");
    Path source =
        Tool.root().resolve("stores/jdbc/src/test/resources/io/leasehold/jdbc/wall-clock-shim.c");
    assumeTrue(
        new ProcessBuilder("gcc", "-O2", "-shared", "-fPIC", "-o", shim + "", source + "")
                .start()
                .waitFor()
            == 0,
        "needs gcc");
    Files.write(directory.resolve("step"), new byte[4096]);
    tool =
        new Tool(directory)
            .with("LD_PRELOAD", shim.toString())
            .with("CLOCKSHIM", directory.resolve("step").toString());
  }

  @Test
  void aStepThatTheLeaseOutlastsIsAnsweredByARenewalAndTheCommandGoesOn() throws Exception {
    try (Running running = run("10m")) {
      long expires = expires();
      step(Duration.ofMinutes(5));

      await().atMost(Tool.PATIENCE).until(() -> expires() > expires);
      Files.createFile(directory.resolve("done"));
      Running.Result result = running.end();
      assertThat(result.code()).as(result.err()).isEqualTo(3);
      assertThat(result.err()).isEmpty();
    }
  }

  @Test
  void aStepBeyondTheLeaseKillsAtOnce() throws Exception {
    try (Running running = run("10m")) {
      step(Duration.ofMinutes(11));

      Running.Result result = running.end();
      assertThat(result.code()).isEqualTo(76);
      assertThat(result.err()).contains("lost 'x'", "killed the command").hasLineCount(1);
    }
  }

  @Test
  void withoutARenewalTheCommandIsKilledBeforeTheLeaseMayHaveEnded() throws Exception {
    try (Running running = run("10m");
        Connection silence = DriverManager.getConnection("jdbc:sqlite:" + tool.store());
        Statement statement = silence.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 10000");
      statement.execute("BEGIN IMMEDIATE");
      // What may differ between two clocks, a hundredth, is not counted as held
      step(Duration.ofMinutes(10).minusSeconds(20));
      running.awaitSaid("killed the command");
      statement.execute("ROLLBACK");

      Running.Result result = running.end();
      assertThat(result.code()).isEqualTo(76);
      assertThat(result.err())
          .contains("could not be renewed and runs out: killed the command")
          .hasLineCount(1);
    }
  }

  private Running run(String ttl) {
    Running running = tool.start("run", "--ttl", ttl, "x", "--", "bash", "-c", UNTIL_DONE);
    Tool.awaitContent(directory.resolve("ready"));
    return running;
  }

  private long expires() throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + tool.store());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT max(expires) FROM leasehold_lock")) {
      return row.getLong(1);
    }
  }

  private void step(Duration by) throws IOException {
    ByteBuffer nanos = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
    nanos.putLong(by.toNanos()).flip();
    try (FileChannel file = FileChannel.open(directory.resolve("step"), StandardOpenOption.WRITE)) {
      file.write(nanos, 0);
    }
  }
}
