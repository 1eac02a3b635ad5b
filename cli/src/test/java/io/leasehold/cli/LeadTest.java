package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code lead}: who runs the command, until when, and who does after that. */
class LeadTest {
  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  /** Writes its process id to a file of this name once it runs, and runs on. */
  private Running candidate(String file, String... options) {
    return candidateOf("echo $$ >> " + file + "; exec sleep 600", options);
  }

  private Running candidateOf(String script, String... options) {
    String[] words = new String[options.length + 6];
    words[0] = "lead";
    System.arraycopy(options, 0, words, 1, options.length);
    String[] rest = {"x", "--", "bash", "-c", script};
    System.arraycopy(rest, 0, words, options.length + 1, rest.length);
    return tool.start(words);
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  private long lines(String name) {
    return Files.exists(file(name)) ? Tool.read(file(name)).lines().count() : 0;
  }

  private long pid(String name) {
    return Long.parseLong(Tool.awaitContent(file(name)).lines().reduce((a, b) -> b).orElseThrow());
  }

  private void awaitLines(String name, long many) {
    await().atMost(Tool.PATIENCE).until(() -> lines(name) >= many);
  }

  @Test
  void oneOfTwoLeadsAndKillOfItElectsTheOther() {
    try (Running one = candidate("one", "--ttl", "3s")) {
      long command = pid("one");
      try (Running two = candidate("two", "--ttl", "3s").awaitSaid("waiting for 'x'")) {
        assertThat(lines("two")).isZero();
        one.signal("KILL");
        awaitLines("two", 1);
        await().atMost(Tool.PATIENCE).until(() -> !Tool.runs(command));
        assertThat(two.process().isAlive()).isTrue();
      }
    }
  }

  @Test
  void aLeaderThatWasPausedKillsItsCommandAndTakesPartAgain() {
    try (Running paused = candidate("one", "--ttl", "3s")) {
      long command = pid("one");
      paused.signal("STOP");
      try (Running next = candidate("two", "--ttl", "3s")) {
        awaitLines("two", 1);
        paused.signal("CONT");
        await().atMost(Tool.PATIENCE).until(() -> !Tool.runs(command));
        paused.awaitSaid("takes part again in the election of 'x'");
        assertThat(Tool.read(paused.err())).contains("lost 'x'", "killed the command");
        tool.awaitWaits("x", paused);
        assertThat(lines("one")).isEqualTo(1);
        next.signal("TERM");
        assertThat(next.end().code()).isEqualTo(143);
        awaitLines("one", 2);
      }
    }
  }

  @Test
  void aLeaderThatAnOperatorRemovedTakesPartAgain() {
    String script = "echo $LEASEHOLD_TOKEN >> token; echo $$ >> one; exec sleep 600";
    try (Running one = candidateOf(script, "--ttl", "3s")) {
      long command = pid("one");
      String first = Tool.awaitContent(file("token"));
      assertThat(tool.run("break", "x", "--token", first).code()).isZero();
      awaitLines("one", 2);
      assertThat(Tool.runs(command)).isFalse();
      assertThat(Long.parseLong(Tool.read(file("token")).lines().toList().get(1)))
          .isGreaterThan(Long.parseLong(first));
      assertThat(one.process().isAlive()).isTrue();
    }
  }

  @Test
  void whenTheCommandEndsTheLeaderResignsWithItsCodeAndTheNextLeads() {
    try (Running one =
            candidateOf("echo > one; until [ -e end ]; do read -rt 0.02 <> <(:); done; exit 7");
        Running two = afterLeads("one", () -> candidate("two"))) {
      two.awaitSaid("waiting for 'x'");
      touch("end");
      assertThat(one.end().code()).isEqualTo(7);
      // The ttl is 30 s; it is not waited for
      awaitLines("two", 1);
      assertThat(Tool.read(one.err())).isEmpty();
    }
  }

  private Running afterLeads(String leader, Supplier<Running> next) {
    awaitLines(leader, 1);
    return next.get();
  }

  private void touch(String name) {
    try {
      Files.writeString(file(name), "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aCommandThatCannotStartEndsTheCandidacy() {
    assertThat(tool.run("lead", "x", "--", "no-such-command").code()).isEqualTo(127);
    assertThat(tool.run("who", "x").code()).isEqualTo(1);
  }

  // ---- signals

  @Test
  void aSignalEndsACandidateThatWaits() {
    try (Running holder = tool.hold("x");
        Running candidate = candidate("one").awaitSaid("waiting for 'x'")) {
      candidate.signal("TERM");
      assertThat(candidate.end().code()).isEqualTo(143);
      assertThat(tool.run("who", "x").out()).doesNotContain("/" + candidate.pid() + "/");
      assertThat(holder.process().isAlive()).isTrue();
    }
    assertThat(lines("one")).isZero();
  }

  @Test
  void aSignalGoesToTheCommandWhoseCodeItIs() {
    String polite =
        "trap 'exit 5' TERM; trap 'echo >> usr1' USR1; echo > one;"
            + " while :; do read -rt 0.02 <> <(:); done";
    try (Running one = candidateOf(polite)) {
      awaitLines("one", 1);
      one.signal("USR1");
      awaitLines("usr1", 1);
      one.signal("TERM");
      assertThat(one.end().code()).isEqualTo(5);
    }
    assertThat(tool.run("who", "x").code()).isEqualTo(1);
  }

  /** The command does not end by it, and then its lease is lost. */
  @Test
  void aLeaderThatWasToldToEndDoesNotTakePartAgain() {
    String stubborn =
        "trap 'echo >> term' TERM; echo $LEASEHOLD_TOKEN > token;"
            + " while :; do read -rt 0.02 <> <(:); done";
    try (Running one = candidateOf(stubborn, "--ttl", "3s")) {
      String token = Tool.awaitContent(file("token"));
      one.signal("TERM");
      awaitLines("term", 1);
      assertThat(tool.run("break", "x", "--token", token).code()).isZero();
      assertThat(one.end().code()).isEqualTo(76);
      assertThat(Tool.read(one.err())).doesNotContain("takes part again");
    }
  }

  // ---- the store

  @Test
  void aStoreThatFallsSilentEndsTheCommandInTimeAndIsAskedAgain() throws Exception {
    try (Running one = candidate("one", "--ttl", "6s")) {
      long command = pid("one");
      try (Connection silence = DriverManager.getConnection("jdbc:sqlite:" + tool.store());
          Statement statement = silence.createStatement()) {
        statement.execute("PRAGMA busy_timeout = 10000");
        statement.execute("BEGIN IMMEDIATE");
        await().atMost(Tool.PATIENCE).until(() -> !Tool.runs(command));
        one.awaitSaid("takes part again");
        assertThat(lines("one")).isEqualTo(1);
      }
      awaitLines("one", 2);
    }
  }

  @Test
  void theLongestTermPassesTheLeadOn() {
    try (Running one = candidate("one", "--ttl", "3s", "--max-hold", "3s")) {
      pid("one");
      try (Running two = candidate("two", "--ttl", "3s", "--max-hold", "3s")) {
        awaitLines("two", 1);
        assertThat(Tool.read(one.err())).contains("longest life of 3s");
        awaitLines("one", 2);
        assertThat(two.process().isAlive()).isTrue();
      }
    }
  }

  @Test
  void aNameOfAnotherKindIsAnError() {
    try (Running permits = tool.hold("x", "--permits", "1/2")) {
      Running.Result result = tool.run("lead", "x", "--", "true");
      assertThat(result.code()).isEqualTo(64);
      assertThat(result.err()).startsWith("leasehold: ").contains("'x'");
      assertThat(permits.process().isAlive()).isTrue();
    }
  }

  @Test
  void aStoreThatIsNotThereYetIsAwaited() {
    tool.with("LEASEHOLD_STORE", "redis://127.0.0.1:1");
    try (Running one = candidate("one").awaitSaid("no answer yet, asking again")) {
      one.signal("INT");
      assertThat(one.end(Duration.ofMinutes(1)).code()).isEqualTo(130);
    }
  }
}
