package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A majority of three servers. */
class QuorumTest {
  @TempDir Path directory;

  private static RedisServer server() {
    return RedisServer.of(Kind.REDIS_7_0).persistent().start();
  }

  @Test
  void theCommandWorksWhileAMinorityIsDown() throws Exception {
    try (RedisServer one = server();
        RedisServer two = server();
        RedisServer three = server()) {
      String url = "quorum:" + one.url() + "," + two.url() + "," + three.url();
      Tool tool = new Tool(directory).with("LEASEHOLD_STORE", url);
      assertThat(tool.run("doctor").out())
          .contains("3 of 3 members answer", "member 2", "latency", "has a token that rises");
      two.kill();
      String leasehold = Tool.root() + "/leasehold";
      Running.Result listed = tool.run("run", "a", "--", leasehold, "list");
      assertThat(listed.out()).contains("a ");
      assertThat(tool.run("run", "a", "--", leasehold, "run", "-n", "a", "--", "true").code())
          .isEqualTo(ExitCode.TIMEOUT);
      assertThat(tool.run("run", "-n", "a", "--", "true").code()).isZero();
      assertThat(tool.run("doctor").out()).contains("2 of 3 members answer", "cannot connect");
      three.kill();
      Running.Result down = tool.run("run", "a", "--", "true");
      assertThat(down.code()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(down.err())
          .contains("no majority: 2 of 3 members failed")
          .contains(":" + two.port(), ":" + three.port())
          .hasLineCount(1);
    }
  }

  /** Each makes its numbers by itself. */
  @Test
  void aQuorumWithoutTokensMustBeAccepted() throws Exception {
    String url =
        Stream.of("1", "2", "3")
            .map(name -> "file:" + directory.resolve(name))
            .collect(Collectors.joining(",", "quorum:", ""));
    Tool plain = new Tool(directory).with("LEASEHOLD_STORE", url);
    Running.Result refused = plain.run("run", "a", "--", "true");
    assertThat(refused.code()).isEqualTo(ExitCode.MISSING_TRAIT);
    assertThat(refused.err()).contains("--accept unfenced");
    Tool tool = new Tool(directory).with("LEASEHOLD_STORE", url + "?accept=unfenced");
    assertThat(tool.run("run", "a", "--", "true").code()).isZero();
    assertThat(tool.run("doctor").out())
        .contains("leases have no tokens", "so the quorum has none");
  }

  @Test
  void whatIsNoQuorumIsRefused() throws Exception {
    Tool tool = new Tool(directory);
    Running.Result even = tool.run("--store", "quorum:redis://a,redis://b", "list");
    assertThat(even.code()).isEqualTo(ExitCode.USAGE);
    assertThat(even.err()).contains("odd number of members").hasLineCount(1);
    Running.Result twice = tool.run("--store", "quorum:redis://a,redis://b,redis://A", "list");
    assertThat(twice.code()).isEqualTo(ExitCode.USAGE);
    assertThat(twice.err()).contains("twice").hasLineCount(1);
  }
}
