package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code once}: one run for each key, and its outcome for all later calls. */
class OnceTest {
  /** Leaves a line in {@code ran} each time it runs. */
  private static final String COUNTED = "echo >> ran; ";

  private static final String UNTIL_DONE =
      COUNTED + "echo begun; until [ -e done ]; do sleep 0.02; done; echo over; exit 3";

  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  private int runs() throws IOException {
    Path ran = directory.resolve("ran");
    return Files.exists(ran) ? Files.readAllLines(ran).size() : 0;
  }

  private Running.Result once(String key, String script) {
    return tool.run("once", key, "--", "bash", "-c", script);
  }

  private void done() throws IOException {
    Files.createFile(directory.resolve("done"));
  }

  @Test
  void laterCallsReplayTheCodeAndEachByteOfTheOutput() throws Exception {
    String script =
        COUNTED + "head -c 700000 /dev/urandom; head -c 300001 /dev/urandom >&2; exit 3";
    try (Running first = tool.start("once", "k", "--", "bash", "-c", script)) {
      assertThat(first.process().waitFor()).isEqualTo(3);
      try (Running replay = tool.start("once", "k", "--", "bash", "-c", script)) {
        assertThat(replay.process().waitFor()).isEqualTo(3);
        assertThat(runs()).isEqualTo(1);
        assertThat(Files.readAllBytes(replay.out()))
            .hasSize(700_000)
            .isEqualTo(Files.readAllBytes(first.out()));
        assertThat(Files.readAllBytes(replay.err()))
            .hasSize(300_001)
            .isEqualTo(Files.readAllBytes(first.err()));
      }
    }
  }

  @Test
  void outputAndInputPassWhileItRuns() throws Exception {
    Path input = Files.writeString(directory.resolve("input"), "question\n");
    String script = "read line; echo $line; echo more >&2; " + UNTIL_DONE;
    try (Running running = tool.start(input, "once", "k", "--", "bash", "-c", script)) {
      await().atMost(Tool.PATIENCE).until(() -> Tool.read(running.out()).endsWith("begun\n"));
      running.awaitSaid("more\n");
      done();
      assertThat(running.end())
          .isEqualTo(new Running.Result(3, "question\nbegun\nover\n", "more\n"));
    }
  }

  @Test
  void whatWritesOnAfterTheCommandIsKeptToo() {
    String script = "exec > >(sleep 0.3; cat; sleep 0.3; echo late); echo early";
    assertThat(once("k", script)).isEqualTo(new Running.Result(0, "early\nlate\n", ""));
    assertThat(once("k", script)).isEqualTo(new Running.Result(0, "early\nlate\n", ""));
  }

  @Test
  void whatTheCommandLeavesBehindIsWaitedForOnlyIfAsked() throws IOException {
    String script = "(until [ -e done ]; do sleep 0.02; done; echo last) & echo begun";
    Running.Result left = once("k", script);
    assertThat(left.code()).isZero();
    assertThat(left.out()).isEqualTo("begun\n");
    assertThat(left.err()).contains("what it started still runs", "--wait-all");

    try (Running waits = tool.start("once", "--wait-all", "all", "--", "bash", "-c", script)) {
      Tool.awaitContent(waits.out());
      done();
      assertThat(waits.end()).isEqualTo(new Running.Result(0, "begun\nlast\n", ""));
    }
  }

  @Test
  void ofALongOutputTheFirstMebibyteIsKept() throws Exception {
    String script = COUNTED + "head -c 1048577 /dev/zero; head -c 1048576 /dev/zero >&2";
    String full = "\0".repeat(1_048_576);
    Running.Result first = once("k", script);
    assertThat(first.out()).hasSize(1_048_577);
    assertThat(first.err())
        .isEqualTo(full + "leasehold: of stdout only the first 1 MiB is kept for later calls\n");
    Running.Result later = once("k", script);
    assertThat(later.out()).isEqualTo(full);
    assertThat(later.err())
        .isEqualTo(full + "leasehold: of stdout only the first 1 MiB was kept\n");
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void withoutOutputOnlyTheCodeIsKept() throws IOException {
    String[] call = {"once", "--no-output", "k", "--", "bash", "-c", COUNTED + "echo out; exit 4"};
    assertThat(tool.run(call)).isEqualTo(new Running.Result(4, "out\n", ""));
    assertThat(tool.run(call)).isEqualTo(new Running.Result(4, "", ""));
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void aTerminalIsTheCommandsOwnAndAReplayThereSaysSo() throws IOException {
    String call =
        Tool.root()
            + "/leasehold once k -- sh -c \"echo >> ran; test -t 1 && test -t 2 && exit 5\"";
    for (int i = 0; i < 2; i++) {
      try (Running terminal =
          tool.startProcess(
              Path.of("/dev/null"), List.of("script", "-qec", call, "typescript" + i))) {
        assertThat(terminal.end().code()).isEqualTo(5);
      }
    }
    assertThat(runs()).isEqualTo(1);
    assertThat(Tool.read(directory.resolve("typescript0"))).doesNotContain("leasehold: ");
    assertThat(Tool.read(directory.resolve("typescript1")))
        .containsPattern("leasehold: 'k' ran on .* and ended with 5; .* once --forget 'k'");
  }

  @Test
  void aCommandThatNobodyReadsEndsAsWithoutTheTool() {
    Running.Result shell =
        tool.startProcess(
                Path.of("/dev/null"),
                List.of(
                    "bash",
                    "-c",
                    "'"
                        + Tool.root()
                        + "/leasehold' once k -- yes | head -1; echo ${PIPESTATUS[0]}"))
            .end();
    assertThat(shell).isEqualTo(new Running.Result(0, "y\n141\n", ""));
  }

  @ParameterizedTest
  @CsvSource({"exit 9, 9", "kill -KILL $$, 137", "kill -TERM $$, 143"})
  void afterAFailureTheOutcomeIsTheCode(String script, int code) throws IOException {
    assertThat(once("k", COUNTED + script).code()).isEqualTo(code);
    assertThat(once("k", COUNTED + script).code()).isEqualTo(code);
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void aFailureIsTriedAgainIfAsked() throws IOException {
    String script = COUNTED + "test -e done";
    String[] call = {"once", "--retry-failed", "k", "--", "bash", "-c", script};
    assertThat(tool.run(call)).isEqualTo(new Running.Result(1, "", ""));
    assertThat(tool.run(call)).isEqualTo(new Running.Result(1, "", ""));
    done();
    assertThat(tool.run(call).code()).isZero();
    assertThat(tool.run(call).code()).isZero();
    assertThat(runs()).isEqualTo(3);
  }

  @Test
  void aCommandThatCannotBeStartedHasNoOutcome() throws IOException {
    Running.Result missing = tool.run("once", "k", "--", "./program");
    assertThat(missing.code()).isEqualTo(127);
    assertThat(missing.err()).contains("no such file");
    Path program = Files.writeString(directory.resolve("program"), "#!/bin/sh\nexit 6\n");
    assertThat(tool.run("once", "k", "--", "./program").code()).isEqualTo(126);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    assertThat(tool.run("once", "k", "--", "./program").code()).isEqualTo(6);
  }

  @Test
  void whereNoPipesCanBeMadeNothingRuns() throws IOException {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Path mkfifo = Files.writeString(bin.resolve("mkfifo"), "#!/bin/sh\nexit 1\n");
    assertThat(mkfifo.toFile().setExecutable(true)).isTrue();
    Tool without = new Tool(directory).with("PATH", bin + ":" + System.getenv("PATH"));
    Running.Result refused = without.run("once", "k", "--", "sh", "-c", COUNTED);
    assertThat(refused.code()).isEqualTo(126);
    assertThat(refused.err()).contains("--no-output needs none").hasLineCount(1);
    assertThat(runs()).isZero();
    assertThat(without.run("once", "--no-output", "k", "--", "sh", "-c", COUNTED).code()).isZero();
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void anotherCommandLineIsRefused() throws IOException {
    assertThat(once("k", COUNTED).code()).isZero();
    Running.Result other = once("k", COUNTED + "true");
    assertThat(other.code()).isEqualTo(64);
    assertThat(other.err()).contains("'k' stands for another command line").hasLineCount(1);
    assertThat(runs()).isEqualTo(1);
    assertThat(tool.run("once", "--forget", "k").code()).isZero();
    assertThat(once("k", COUNTED + "true").code()).isZero();
    assertThat(runs()).isEqualTo(2);
  }

  @Test
  void theSecondOfTwoFailsOrWaitsAndReplays() throws IOException {
    try (Running first = tool.start("once", "k", "--", "bash", "-c", UNTIL_DONE)) {
      Tool.awaitContent(first.out());
      String begun = "on .* \\(process " + first.pid() + "\\) since 2";

      Running.Result busy = once("k", UNTIL_DONE);
      assertThat(busy.code()).isEqualTo(75);
      assertThat(busy.err()).hasLineCount(1).containsPattern(begun);
      assertThat(
              tool.run("once", "--busy-exit", "0", "--quiet", "k", "--", "bash", "-c", UNTIL_DONE))
          .isEqualTo(new Running.Result(0, "", ""));
      Running.Result forget = tool.run("once", "--forget", "k");
      assertThat(forget.code()).isEqualTo(75);
      assertThat(forget.err()).contains("is not forgotten").containsPattern(begun);

      try (Running second =
          tool.start("once", "--wait", "2m", "k", "--", "bash", "-c", UNTIL_DONE)) {
        second.awaitSaid("waiting for 'k'");
        done();
        assertThat(first.end()).isEqualTo(new Running.Result(3, "begun\nover\n", ""));
        Running.Result replayed = second.end();
        assertThat(replayed.code()).isEqualTo(3);
        assertThat(replayed.out()).isEqualTo("begun\nover\n");
        assertThat(replayed.err()).hasLineCount(1).containsPattern(begun);
      }
    }
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void aSignalEndsTheWaitAndElseIsTheCommands() throws IOException {
    String polite = COUNTED + "trap 'exit 8' TERM; echo begun; while :; do sleep 0.02; done";
    try (Running first = tool.start("once", "k", "--", "bash", "-c", polite)) {
      Tool.awaitContent(first.out());
      try (Running second = tool.start("once", "--wait", "1h", "k", "--", "bash", "-c", polite)) {
        second.awaitSaid("waiting for 'k'").signal("TERM");
        assertThat(second.end().code()).isEqualTo(143);
      }
      first.signal("TERM");
      assertThat(first.end().code()).isEqualTo(8);
    }
    assertThat(once("k", polite)).isEqualTo(new Running.Result(8, "begun\n", ""));
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void aToolThatIsKilledLeavesAnUnknownOutcomeUntilItIsForgotten() throws IOException {
    String script = COUNTED + "echo $$ > pid; echo begun; exec sleep 600";
    String[] again = {"once", "--wait", "2m", "k", "--", "bash", "-c", script};
    long killed;
    try (Running first = tool.start("once", "--ttl", "3s", "k", "--", "bash", "-c", script)) {
      killed = first.pid();
      Tool.awaitContent(first.out());
      first.signal("KILL");
      assertThat(first.end().code()).isEqualTo(137);
    }
    long command = Long.parseLong(Tool.read(directory.resolve("pid")).strip());
    await().atMost(Tool.PATIENCE).until(() -> !Tool.runs(command));

    for (int i = 0; i < 2; i++) {
      Running.Result unknown = tool.run(again);
      assertThat(unknown.code()).as(unknown.err()).isEqualTo(79);
      assertThat(unknown.err())
          .containsPattern("the outcome of 'k' is unknown: its command began on .* at 2")
          .contains("(process " + killed + ")", "leasehold once --forget 'k'");
    }
    assertThat(runs()).isEqualTo(1);

    assertThat(tool.run("once", "--forget", "k").code()).isZero();
    Running.Result nothing = tool.run("once", "--forget", "k");
    assertThat(nothing.code()).isEqualTo(1);
    assertThat(nothing.err()).contains("'k' is not known");
    assertThat(once("k", COUNTED).code()).isZero();
    assertThat(runs()).isEqualTo(2);
  }

  @Test
  void aClaimThatLapsesDoesNotEndTheCommandWhoseOutcomeIsRecorded() throws Exception {
    try (Running running = tool.start("once", "--ttl", "3s", "k", "--", "bash", "-c", UNTIL_DONE)) {
      Tool.awaitContent(running.out());
      try (Connection silence = silence()) {
        running.awaitSaid("the claim of the key has lapsed");
        assertThat(silence.isClosed()).isFalse();
      }
      done();
      Running.Result first = running.end();
      assertThat(first.code()).isEqualTo(3);
      assertThat(first.err()).hasLineCount(1);
    }
    assertThat(once("k", UNTIL_DONE)).isEqualTo(new Running.Result(3, "begun\nover\n", ""));
  }

  @Test
  void anOutcomeThatTheStoreDoesNotTakeIsSaid() throws Exception {
    try (Running running = tool.start("once", "--ttl", "3s", "k", "--", "bash", "-c", UNTIL_DONE)) {
      Tool.awaitContent(running.out());
      try (Connection silence = silence()) {
        done();
        Running.Result first = running.end();
        assertThat(silence.isClosed()).isFalse();
        assertThat(first.code()).isEqualTo(76);
        assertThat(first.err())
            .contains("the command ended with 3, and that could not be recorded for 'k': ");
      }
    }
    assertThat(once("k", UNTIL_DONE).code()).isEqualTo(79);
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void aKeyThatIsForgottenMeanwhileIsSaid() throws Exception {
    // Long before its first heartbeat, within which it would be stopped with the file's write lock
    String stops = "kill -STOP $PPID; echo > stopped; " + UNTIL_DONE;
    try (Running running = tool.start("once", "--ttl", "6s", "k", "--", "bash", "-c", stops)) {
      Tool.awaitContent(directory.resolve("stopped"));
      await()
          .atMost(Tool.PATIENCE)
          .until(() -> tool.run("once", "--forget", "k").code() == ExitCode.OK);
      assertThat(once("k", "echo other").out()).isEqualTo("other\n");
      done();
      running.signal("CONT");
      Running.Result first = running.end();
      assertThat(first.code()).isEqualTo(76);
      assertThat(first.err()).contains("ended with 3", "the key was forgotten meanwhile");
    }
    assertThat(once("k", "echo other").out()).as("not overwritten").isEqualTo("other\n");
  }

  @Test
  void aToolThatWakesAfterItsClaimLapsedDoesNotBegin() throws Exception {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Path mkfifo = bin.resolve("mkfifo");
    Files.writeString(
        mkfifo,
        "#!/bin/sh\nPATH=${PATH#*:}\nmkfifo \"$@\"\n[ -e stopped ] || { echo > stopped; kill -STOP $PPID; }\n");
    assertThat(mkfifo.toFile().setExecutable(true)).isTrue();
    Tool sleepy = new Tool(directory).with("PATH", bin + ":" + System.getenv("PATH"));
    String[] call = {"once", "--ttl", "6s", "k", "--", "bash", "-c", COUNTED};
    try (Running running = sleepy.start(call)) {
      Tool.awaitContent(directory.resolve("stopped"));
      await()
          .atMost(Tool.PATIENCE)
          .until(() -> tool.run("once", "--forget", "k").code() == ExitCode.OK);
      assertThat(tool.run(call).code()).isZero();
      running.signal("CONT");
      Running.Result late = running.end();
      assertThat(late.code()).isEqualTo(69);
      assertThat(late.err()).contains("lapsed before the command began").hasLineCount(1);
    }
    assertThat(runs()).isEqualTo(1);
    assertThat(tool.run(call).code()).as("what the other recorded is there").isZero();
    assertThat(runs()).isEqualTo(1);
  }

  @Test
  void aReplayDoesNotWaitForThoseWhoWrite() throws Exception {
    assertThat(once("k", "echo hi").out()).isEqualTo("hi\n");
    try (Connection silence = silence()) {
      assertThat(once("k", "echo hi")).isEqualTo(new Running.Result(0, "hi\n", ""));
      assertThat(silence.isClosed()).isFalse();
      assertThat(once("other", COUNTED).code()).as("the store is busy").isEqualTo(75);
    }
    assertThat(runs()).isZero();
  }

  @Test
  void theOutcomeIsKeptForSevenDaysOrAsSaid() throws Exception {
    assertThat(once("week", "true").code()).isZero();
    assertThat(tool.run("once", "--keep", "1d12h", "day", "--", "true").code()).isZero();
    assertThat(keptFor("week")).isBetween(Duration.ofDays(7).minusHours(1), Duration.ofDays(7));
    assertThat(keptFor("day")).isBetween(Duration.ofHours(35), Duration.ofHours(36));
  }

  private Duration keptFor(String key) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + tool.store());
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT kept_until FROM leasehold_claim WHERE name = 'once//" + key + "'")) {
      return Duration.between(Instant.now(), Instant.ofEpochMilli(row.getLong(1) / 1000));
    }
  }

  @Test
  void whatIsOverRunsAgainAndLeavesNoRow() throws Exception {
    assertThat(tool.run("once", "--keep", "1s", "k", "--", "bash", "-c", COUNTED).code()).isZero();
    await()
        .atMost(Tool.PATIENCE)
        .until(() -> once("k", COUNTED).code() == ExitCode.OK && runs() == 2);

    assertThat(tool.run("once", "--keep", "1s", "x", "--", "true").code()).isZero();
    await()
        .atMost(Tool.PATIENCE)
        .until(
            () -> {
              once("y" + System.nanoTime(), "true");
              return rows("once//x") == 0;
            });
    assertThat(rows("once-began/%")).isZero();
  }

  private int rows(String like) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + tool.store());
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM leasehold_claim WHERE name LIKE '" + like + "'")) {
      return row.getInt(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "k",
        "k --",
        "k true",
        "a b -- true",
        "-- true",
        "--keep 0 k -- true",
        "--keep 7 k -- true",
        "--keep 40000d k -- true",
        "--ttl 1ms k -- true",
        "--busy-exit 256 k -- true",
        "--max-hold 1s k -- true",
        "--forget",
        "--forget a b",
        "--forget k -- true",
        "--store memory: k -- true"
      })
  void wrongUseIsSaid(String arguments) throws IOException {
    Running.Result result = tool.run(("once " + arguments).split(" ", -1));
    assertThat(result.code()).as(result.err()).isEqualTo(64);
    assertThat(result.err()).startsWith("leasehold: ").hasLineCount(1);
    assertThat(result.out()).isEmpty();
  }

  @Test
  void aKeyIsAnyTextButNoneOrTooMuch() throws IOException {
    for (String key : List.of("a/:%'\" ;*\n😀\u001b[2J", "счёт", "-k", "x".repeat(4096))) {
      for (int i = 0; i < 2; i++) {
        String show = COUNTED + "printf %s \"$LEASEHOLD_NAME\"";
        Running.Result result = tool.run("once", "--", key, "--", "bash", "-c", show);
        assertThat(result).isEqualTo(new Running.Result(0, key, ""));
      }
    }
    assertThat(runs()).isEqualTo(4);
    assertThat(tool.run("once", "", "--", "true").code()).isEqualTo(64);
    assertThat(tool.run("once", "x".repeat(4097), "--", "true").code()).isEqualTo(64);
    assertThat(tool.run("once", "--forget", "--", "\u001b[2J").err())
        .doesNotContain("\u001b")
        .contains("\\u{1b}");
  }

  @Test
  void theCommandSeesTheTokenAndNoSecret() {
    Tool secret = new Tool(directory).with("LEASEHOLD_PASSWORD", "secret");
    String show = "echo ${LEASEHOLD_TOKEN:?} ${LEASEHOLD_PASSWORD-none}";
    assertThat(secret.run("once", "k", "--", "sh", "-c", show).out()).matches("\\d+ none\n");
  }

  @Test
  void theDefaultStoreIsThatOfRun() throws IOException {
    Tool own =
        new Tool(directory).without("LEASEHOLD_STORE").with("XDG_STATE_HOME", directory.toString());
    assertThat(own.run("once", "k", "--", "echo", "hi").out()).isEqualTo("hi\n");
    Path file = directory.resolve("leasehold/locks.db");
    assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
    assertThat(own.run("run", "k", "--", "true").code()).isZero();
    assertThat(own.run("once", "k", "--", "echo", "hi").out()).isEqualTo("hi\n");
  }

  /** Takes the only write lock of the file until it is closed. */
  private Connection silence() throws Exception {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + tool.store());
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 10000");
      statement.execute("BEGIN IMMEDIATE");
    }
    return connection;
  }
}
