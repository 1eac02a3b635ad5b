package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.MemcachedServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that has no tokens and keeps no list. */
class MemcachedTest {
  @TempDir Path directory;

  @Test
  void runAndDoctorWorkAndTheRestSaysWhyNot() throws Exception {
    try (MemcachedServer server = MemcachedServer.start()) {
      Tool plain = new Tool(directory).with("LEASEHOLD_STORE", server.url());
      Running.Result refused = plain.run("run", "a", "--", "true");
      assertThat(refused.code()).isEqualTo(ExitCode.MISSING_TRAIT);
      assertThat(refused.err()).contains("--accept unfenced");

      Tool tool = new Tool(directory).with("LEASEHOLD_STORE", server.url() + "?accept=unfenced");
      Running.Result busy =
          tool.run(
              "run", "a", "--", Tool.root() + "/leasehold", "run", "-n", "b", "--", "echo", "x");
      assertThat(busy.out()).isEqualTo("x\n");
      assertThat(busy.err()).isEmpty();
      assertThat(
              tool.run("run", "a", "--", Tool.root() + "/leasehold", "run", "-n", "a", "--", "true")
                  .code())
          .isEqualTo(ExitCode.TIMEOUT);
      assertThat(tool.run("doctor").out()).contains("memcached 1.6", "eviction", "latency");
      Running.Result list = tool.run("list");
      assertThat(list.code()).isEqualTo(ExitCode.MISSING_TRAIT);
      assertThat(list.err()).contains("keeps no list").hasLineCount(1);
      Running.Result once = tool.run("once", "k", "--", "true");
      assertThat(once.code()).isEqualTo(ExitCode.USAGE);
      assertThat(once.err()).contains("memcached").hasLineCount(1);
    }
  }
}
