package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code break}; what becomes of the holder is in {@link LossTest}. */
class BreakTest {
  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @Test
  void removesTheCurrentLeaseOnceAndTheNextTokenIsHigher() {
    try (Running holder = tool.hold("x")) {
      long token = token("x");

      Running.Result broken = tool.run("break", "x", "--token", Long.toString(token));
      assertThat(broken.code()).as(broken.err()).isZero();
      assertThat(broken.out()).isEmpty();
      assertThat(broken.err())
          .startsWith("leasehold: removed the lease of 'x' with token " + token)
          .hasLineCount(1);
      assertThat(holder.process().isAlive()).as("it was not told yet").isTrue();

      isNotCurrent(tool.run("break", "x", "--token", Long.toString(token)), "it is free");
      try (Running next = tool.hold("x")) {
        assertThat(token("x")).isGreaterThan(token);
        isNotCurrent(
            tool.run("break", "x", "--token", Long.toString(token)),
            "it is held with token " + token("x") + " by ");
        assertThat(next.process().isAlive()).isTrue();
        assertThat(tool.run("who", "x").out()).contains("/" + next.pid() + "/");
      }
    }
  }

  @Test
  void aTokenHandedOverInAProcessStandsForItsLease() {
    try (Running holder = tool.hold("x")) {
      long token = token("x");

      isNotCurrent(
          tool.run("break", "x", "--token", Long.toString(token + 1024)), "with token " + token);
      assertThat(tool.run("break", "x", "--token", Long.toString(token + 1023)).code()).isZero();
      assertThat(tool.run("who", "x").code()).isEqualTo(1);
      assertThat(holder.process().isAlive()).isTrue();
    }
  }

  private static void isNotCurrent(Running.Result result, String state) {
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).startsWith("leasehold: 'x' has no lease").contains(state);
    assertThat(result.err()).hasLineCount(1);
    assertThat(result.out()).isEmpty();
  }

  private long token(String name) {
    String json = tool.run("who", "--json", name).out();
    return Long.parseLong(json.replaceAll("(?s).*\"token\":\"(\\d+)\".*", "$1"));
  }
}
