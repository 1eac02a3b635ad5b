package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many runs at once change one file, each by reading and writing it. */
class ConcurrentRunsTest {
  private static final int RUNS = 20;

  @TempDir Path directory;

  @Test
  void noUpdateIsLostAndTheTokensAreInOrder() throws IOException {
    Tool tool = new Tool(directory);
    Files.writeString(directory.resolve("counter"), "0");
    String increment =
        "n=$(cat counter); echo $LEASEHOLD_TOKEN >> tokens; echo $((n + 1)) > counter";
    List<Running> all = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      all.add(tool.start("run", "x", "--", "sh", "-c", increment));
    }
    try {
      for (Running running : all) {
        Running.Result result = running.end();
        assertThat(result.code()).as(result.err()).isZero();
      }
    } finally {
      all.forEach(Running::close);
    }

    assertThat(Files.readString(directory.resolve("counter")).strip())
        .isEqualTo(Integer.toString(RUNS));
    List<Long> tokens =
        Files.readAllLines(directory.resolve("tokens")).stream().map(Long::valueOf).toList();
    assertThat(tokens).hasSize(RUNS).isSorted().doesNotHaveDuplicates();
    assertThat(tool.run("list", "--json").out()).isEqualTo("[]\n");
  }
}
