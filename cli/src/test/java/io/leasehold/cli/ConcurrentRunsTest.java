package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many runs at once change one file, each by reading and writing it. */
class ConcurrentRunsTest {
  @TempDir Path directory;

  @Test
  void noUpdateIsLostAndTheTokensAreInOrder() throws IOException {
    allAcquire(40);
  }

  @Test
  @Tag("slow")
  void noUpdateIsLostAmongTwoHundred() throws IOException {
    allAcquire(200);
  }

  private void allAcquire(int runs) throws IOException {
    Tool tool = new Tool(directory);
    Files.writeString(directory.resolve("counter"), "0");
    String increment =
        "n=$(cat counter); echo $LEASEHOLD_TOKEN >> tokens; echo $((n + 1)) > counter";
    List<Running> all = new ArrayList<>();
    for (int i = 0; i < runs; i++) {
      all.add(tool.start("run", "--wait", "10m", "x", "--", "sh", "-c", increment));
    }
    try {
      for (Running running : all) {
        Running.Result result = running.end(Duration.ofMinutes(10));
        assertThat(result.code()).as(result.err()).isZero();
      }
    } finally {
      all.forEach(Running::close);
    }

    assertThat(Files.readString(directory.resolve("counter")).strip())
        .isEqualTo(Integer.toString(runs));
    List<Long> tokens =
        Files.readAllLines(directory.resolve("tokens")).stream().map(Long::valueOf).toList();
    assertThat(tokens).hasSize(runs).isSorted().doesNotHaveDuplicates();
    assertThat(tool.run("list", "--json").out()).isEqualTo("[]\n");
  }
}
