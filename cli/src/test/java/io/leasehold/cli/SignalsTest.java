package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signals sent to the tool: while it waits, while the command runs, and what a terminal does. */
class SignalsTest {
  private static final String LOOP = "until [[ -e done ]]; do read -rt 0.02 <> <(:); done; exit 4";
  private static final String UNTIL_DONE = "echo > ready; " + LOOP;

  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @Test
  void whileWaitingASignalWithdrawsTheWait() {
    Map<String, Integer> codes =
        Map.of("INT", 130, "TERM", 143, "HUP", 129, "USR1", 138, "USR2", 140);
    Map<String, Running> waiters = new TreeMap<>();
    try (Running holder = tool.hold("x")) {
      codes
          .keySet()
          .forEach(name -> waiters.put(name, tool.start("run", "x", "--", "touch", "ran")));
      waiters.values().forEach(waiter -> waiter.awaitSaid("waiting for 'x'"));
      awaitWaiters(codes.size());

      waiters.values().forEach(waiter -> waiter.signal("WINCH"));
      waiters.values().forEach(waiter -> waiter.signal("CONT"));
      waiters.forEach((name, waiter) -> waiter.signal(name));

      waiters.forEach(
          (name, waiter) -> {
            Running.Result result = waiter.end();
            assertThat(result.code()).as(name).isEqualTo(codes.get(name));
            assertThat(result.out()).as(name).isEmpty();
          });
      assertThat(tool.run("who", "--json", "x").out()).contains("\"waiters\":[]");
      holder.signal("TERM");
      assertThat(holder.end().code()).isEqualTo(143);
      assertThat(tool.run("run", "--wait", "0", "x", "--", "true").code()).isZero();
      assertThat(directory.resolve("ran")).doesNotExist();
    } finally {
      waiters.values().forEach(Running::close);
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

  /** All but QUIT, which Java lets no program take: it does nothing at all. */
  @Test
  void whileItRunsTheCommandGetsEachSignal() {
    List<String> signals = List.of("INT", "TERM", "HUP", "USR1", "USR2", "WINCH", "CONT");
    String noting =
        "for s in QUIT "
            + String.join(" ", signals)
            + "; do trap \"echo $s >> got\" $s; done; "
            + UNTIL_DONE;
    try (Running running = tool.start("run", "x", "--", "bash", "-c", noting)) {
      Tool.awaitContent(directory.resolve("ready"));
      running.signal("QUIT");
      StringBuilder got = new StringBuilder();
      for (String signal : signals) {
        running.signal(signal);
        got.append(got.isEmpty() ? "" : "\n").append(signal);
        await()
            .atMost(Tool.PATIENCE)
            .until(() -> running.process().isAlive() && notes("got").equals(got.toString()));
      }
      done();

      Running.Result result = running.end();
      assertThat(result.code()).isEqualTo(4);
      assertThat(result.out() + result.err()).isEmpty();
    }
  }

  /**
   * What signals the whole group, or each process, and what signals only the tool: the command gets
   * one TERM in each case.
   */
  @Test
  void oneTermReachesTheCommandThoughItsGroupIsSignalled() {
    List<Running> all = new ArrayList<>();
    try {
      all.add(counting("foreground", "timeout", "--foreground", "600"));
      all.add(counting("group", "timeout", "600", "--no-forward"));
      all.add(counting("mixed"));
      all.add(counting("each", "--no-forward"));
      all.add(counting("setsid", "setsid", "--no-forward"));
      List<String> names = List.of("foreground", "group", "mixed", "each", "setsid");
      names.forEach(name -> Tool.awaitContent(directory.resolve(name + ".ready")));

      all.get(0).signal("TERM");
      all.get(1).signal("TERM");
      // As systemd does with KillMode=mixed
      all.get(2).signal("TERM");
      // As it does by default: the tool, and each process of the command
      all.get(3).signal("TERM");
      Tool.signal("TERM", Long.parseLong(notes("each.ready")));
      Tool.signal("TERM", -all.get(4).pid());

      names.forEach(name -> Tool.awaitContent(directory.resolve(name + ".terms")));
      // One forwarded by a tool would come in the time that another run takes
      assertThat(tool.run("run", "other", "--", "touch", "done").code()).isZero();
      all.forEach(Running::end);
      for (String name : names) {
        assertThat(notes(name + ".terms")).as(name).isEqualTo("TERM");
      }
    } finally {
      all.forEach(Running::close);
    }
  }

  /** A run whose command notes each TERM; the words come before the tool, and then its options. */
  private Running counting(String name, String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    boolean keepsBack = all.remove("--no-forward");
    all.add(Tool.root().resolve("leasehold").toString());
    all.add("run");
    if (keepsBack) {
      all.add("--no-forward");
    }
    all.addAll(
        List.of(
            name,
            "--",
            "bash",
            "-c",
            "trap 'echo TERM >> NAME.terms' TERM; echo $$ > NAME.ready; ".replace("NAME", name)
                + LOOP));
    return tool.startProcess(Path.of("/dev/null"), all);
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
   * script(1) gives the tool a terminal. What is typed there the kernel sends to the whole
   * foreground group; so it does with HUP, when the terminal is gone and its shell has ended.
   */
  @Test
  void onATerminalInterruptAndHangupReachTheCommandOnce() throws Exception {
    String counting =
        "trap \"echo INT >> ints\" INT; trap \"echo HUP >> hups\" HUP; tty > tty.name; "
            + UNTIL_DONE.replace("exit 4", "echo > ended");
    Path keyboard = directory.resolve("keyboard");
    new ProcessBuilder("mkfifo", keyboard.toString()).start().waitFor();
    try (Running terminal =
        tool.startProcess(
            Path.of("/dev/null"),
            List.of(
                "sh",
                "-c",
                "exec 3<>keyboard; exec script -qec \"trap : INT; "
                    + Tool.root()
                    + "/leasehold run x -- bash -c '"
                    + counting.replace("\"", "\\\"")
                    + "'; :\" typescript < keyboard"))) {
      Tool.awaitContent(directory.resolve("ready"));
      Files.writeString(keyboard, "\u0003");
      Tool.awaitContent(directory.resolve("ints"));
      // One forwarded by the tool would come in the time that another run takes
      assertThat(tool.run("run", "other", "--", "true").code()).isZero();
      terminal.signal("KILL");
      Tool.awaitContent(directory.resolve("hups"));
      assertThat(tool.run("run", "other", "--", "touch", "done").code()).isZero();

      Tool.awaitContent(directory.resolve("ended"));
      assertThat(notes("ints")).isEqualTo("INT");
      assertThat(notes("hups")).isEqualTo("HUP");
      assertThat(notes("tty.name")).startsWith("/dev/");
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

  private String notes(String file) {
    Path path = directory.resolve(file);
    return Files.exists(path) ? Tool.read(path).strip() : "";
  }

  private void done() {
    try {
      Files.createFile(directory.resolve("done"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
