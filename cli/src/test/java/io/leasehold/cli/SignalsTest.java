package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Signals sent to the tool: while it waits, while the command runs, and what a terminal does. */
class SignalsTest {
  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143", "HUP, 129", "USR1, 138"})
  void whileWaitingASignalWithdrawsTheWait(String signal, int code) {
    try (Running holder = tool.hold("x");
        Running waiter =
            tool.start("run", "x", "--", "touch", "ran").awaitSaid("waiting for 'x'")) {
      awaitWaiters(1);

      waiter.signal("WINCH");
      waiter.signal("CONT");
      waiter.signal(signal);

      assertThat(waiter.end().code()).isEqualTo(code);
      assertThat(tool.run("who", "--json", "x").out()).contains("\"waiters\":[]");
      holder.signal("TERM");
      assertThat(holder.end().code()).isEqualTo(143);
      assertThat(tool.run("run", "--wait", "0", "x", "--", "true").code()).isZero();
      assertThat(directory.resolve("ran")).doesNotExist();
    }
  }

  @Test
  void aWaiterThatIsKilledLeavesNothingThatBlocks() {
    try (Running holder = tool.hold("x");
        Running waiter =
            tool.start("run", "--ttl", "2s", "x", "--", "true").awaitSaid("waiting for 'x'")) {
      awaitWaiters(1);
      waiter.signal("KILL");
      assertThat(waiter.end().code()).isEqualTo(137);

      holder.signal("TERM");
      holder.end();
      assertThat(tool.run("run", "--wait", "0", "x", "--", "true").code()).isZero();
      await().atMost(Tool.PATIENCE).until(() -> tool.run("who", "x").code() == 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM", "HUP", "USR1", "WINCH", "CONT"})
  void whileItRunsTheCommandGetsTheSignal(String signal) {
    try (Running running =
        tool.start(
            "run",
            "x",
            "--",
            "bash",
            "-c",
            "trap 'echo "
                + signal
                + " > got; exit 5' "
                + signal
                + "; echo > ready; while :; do read -rt 0.02 <> <(:); done")) {
      Tool.awaitContent(directory.resolve("ready"));
      running.signal(signal);

      assertThat(running.end().code()).isEqualTo(5);
      assertThat(Tool.awaitContent(directory.resolve("got"))).isEqualTo(signal);
    }
  }

  @Test
  void aCommandThatIgnoresTermGoesOnAndKeepsTheLock() {
    try (Running running =
        tool.start(
            "run",
            "x",
            "--",
            "bash",
            "-c",
            "trap 'echo >> terms' TERM; echo > ready; until [[ -e done ]]; do read -rt 0.02 <> <(:); done; exit 3")) {
      Tool.awaitContent(directory.resolve("ready"));
      running.signal("TERM");
      Tool.awaitContent(directory.resolve("terms"));
      assertThat(tool.run("run", "--wait", "0", "x", "--", "true").code()).isEqualTo(75);

      assertThat(tool.run("run", "other", "--", "touch", "done").code()).isZero();
      assertThat(running.end().code()).isEqualTo(3);
    }
  }

  /**
   * script(1) gives the tool a terminal; what is typed there the kernel sends to the whole
   * foreground group. The shell that script starts must be gone by then: it would die of it.
   */
  @Test
  void onATerminalInterruptReachesTheCommandOnce() throws Exception {
    String counting =
        "trap \"echo >> ints\" INT; tty > tty.name; echo > ready; until [[ -e done ]]; do read -rt 0.02 <> <(:); done; exit 4";
    Path keyboard = directory.resolve("keyboard");
    new ProcessBuilder("mkfifo", keyboard.toString()).start().waitFor();
    try (Running terminal =
        tool.startProcess(
            Path.of("/dev/null"),
            List.of(
                "sh",
                "-c",
                "exec 3<>keyboard; exec script -qec \"exec "
                    + Tool.root()
                    + "/leasehold run x -- bash -c '"
                    + counting.replace("\"", "\\\"")
                    + "'\" typescript < keyboard"))) {
      Tool.awaitContent(directory.resolve("ready"));
      java.nio.file.Files.writeString(keyboard, "\u0003");
      Tool.awaitContent(directory.resolve("ints"));
      // One forwarded by the tool would come in the time that another run takes
      assertThat(tool.run("run", "other", "--", "touch", "done").code()).isZero();

      assertThat(terminal.end().code()).isEqualTo(4);
      assertThat(Tool.read(directory.resolve("ints"))).isEqualTo("\n");
      assertThat(Tool.read(directory.resolve("tty.name"))).startsWith("/dev/");
    }
  }

  @Test
  void whatWasIgnoredWhenTheToolBeganStaysIgnored() {
    try (Running running =
        tool.startProcess(
            Path.of("/dev/null"),
            List.of(
                "sh",
                "-c",
                "trap '' HUP; exec '"
                    + Tool.root()
                    + "/leasehold' run x -- sh -c 'echo > ready; until [ -e done ]; do sleep 0.02; done; exit 6'"))) {
      Tool.awaitContent(directory.resolve("ready"));
      running.signal("HUP");
      assertThat(tool.run("run", "other", "--", "touch", "done").code()).isZero();

      assertThat(running.end().code()).isEqualTo(6);
    }
  }

  @Test
  void nothingIsBlockedInTheCommand() {
    // Not as in this test's own process: a Java before 25 blocks QUIT in what it starts
    assertThat(tool.run("run", "x", "--", "grep", "SigBlk", "/proc/self/status").out())
        .matches("SigBlk:\\s+0+\n");
    assertThat(tool.run("run", "x", "--", "sh", "-c", "kill -QUIT $$; exit 1").code())
        .isEqualTo(131);
  }

  private void awaitWaiters(int count) {
    await()
        .atMost(Tool.PATIENCE)
        .until(
            () ->
                tool.run("who", "--json", "x").out().split("waitedForMillis", -1).length - 1
                    == count);
  }
}
