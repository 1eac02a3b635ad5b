package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Work that the command started and that goes on when the command has ended. */
class OutlivingTest {
  @TempDir Path directory;

  @Test
  void isSaidAndWithWaitAllKeepsTheLock() throws IOException {
    Tool tool = new Tool(directory);
    String work =
        "sh -c 'echo $$ > NAME.pid; until [ -e done ]; do sleep 0.05; done' & "
            + "until [ -s NAME.pid ]; do sleep 0.02; done; exit 3";
    String polite =
        "bash -c 'trap \"echo > term; exit\" TERM; echo > c.pid; while :; do read -rt 0.02 <> <(:); done' & "
            + "until [ -s c.pid ]; do sleep 0.02; done";
    try (Running left = tool.start("run", "a", "--", "sh", "-c", work.replace("NAME", "a"));
        Running kept =
            tool.start("run", "--wait-all", "b", "--", "sh", "-c", work.replace("NAME", "b"));
        Running asked = tool.start("run", "c", "--wait-all", "--", "sh", "-c", polite)) {
      Running.Result result = left.end();
      assertThat(result.code()).isEqualTo(3);
      assertThat(result.err())
          .startsWith("leasehold: the command has ended, and what it started still runs (")
          .contains(
              Tool.awaitContent(directory.resolve("a.pid")), "the lock 'a' is free", "--wait-all")
          .hasLineCount(1);

      kept.awaitSaid("the lock 'b' is held until that has ended");
      asked.awaitSaid("the lock 'c' is held until that has ended");
      assertThat(tool.run("run", "--wait", "0", "b", "--", "true").code()).isEqualTo(75);
      asked.signal("TERM");
      assertThat(asked.end().code()).isZero();
      assertThat(directory.resolve("term")).exists();
      assertThat(tool.run("who", "a").code()).isEqualTo(1);
      assertThat(kept.process().isAlive()).isTrue();

      Files.createFile(directory.resolve("done"));
      assertThat(kept.end().code()).isEqualTo(3);
      assertThat(tool.run("who", "b").code()).isEqualTo(1);
    } finally {
      if (Files.notExists(directory.resolve("done"))) {
        Files.createFile(directory.resolve("done"));
      }
    }
  }
}
