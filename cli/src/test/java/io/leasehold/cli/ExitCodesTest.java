package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every exit code of the command, and where it says why. */
class ExitCodesTest {
  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @Test
  void theCommandsOwnCodeIsTheTools() {
    List<Integer> codes = List.of(0, 1, 64, 76, 255);
    List<Running> all = new ArrayList<>();
    try {
      codes.forEach(
          code -> all.add(tool.start("run", "x" + code, "--", "sh", "-c", "exit " + code)));
      for (int i = 0; i < codes.size(); i++) {
        assertThat(all.get(i).end()).isEqualTo(new Running.Result(codes.get(i), "", ""));
      }
      assertThat(tool.run("list", "--json").out()).isEqualTo("[]\n");
    } finally {
      all.forEach(Running::close);
    }
  }

  @Test
  void aCommandThatASignalEndedYields128AndItsNumber() {
    assertThat(tool.run("run", "x", "--", "sh", "-c", "kill -KILL $$").code()).isEqualTo(137);
    assertThat(tool.run("run", "x", "--", "sh", "-c", "kill -USR1 $$").code()).isEqualTo(138);
  }

  @Test
  void whatIsNotThereIs127AndTheLockIsReleased() {
    saysOnce(
        tool.run("run", "x", "--", "no-such-command"), 127, "no-such-command: command not found");
    saysOnce(tool.run("run", "x", "--", "./no-such-file"), 127, "./no-such-file: no such file");
    saysOnce(tool.run("run", "x", "--", ""), 127, "command not found");
    assertThat(tool.run("who", "x").code()).isEqualTo(1);
  }

  @Test
  void whatCannotBeExecutedIs126AndTheLockIsReleased() throws IOException {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Files.writeString(bin.resolve("plain"), "#!/bin/sh\n");
    Path broken = Files.writeString(bin.resolve("broken"), "\u007fELF is not enough");
    Files.setPosixFilePermissions(broken, PosixFilePermissions.fromString("rwxr-xr-x"));

    saysOnce(tool.run("run", "x", "--", "./bin/plain"), 126, "permission denied");
    saysOnce(tool.run("run", "x", "--", "./bin"), 126, "is a directory");
    saysOnce(
        new Tool(directory)
            .with("PATH", bin + ":" + System.getenv("PATH"))
            .run("run", "x", "--", "plain"),
        126,
        "permission denied");
    assertThat(tool.run("run", "x", "--", "./bin/broken").code()).isIn(126, 127);
    assertThat(tool.run("who", "x").code()).isEqualTo(1);
  }

  @Test
  void aScriptWithoutInterpreterRunsAsInAShell() throws IOException {
    Path script = Files.writeString(directory.resolve("script"), "exit 9\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));

    assertThat(tool.run("run", "x", "--", "./script").code()).isEqualTo(9);
  }

  @Test
  void argumentsThatMakeNoSenseAre64() {
    saysOnce(tool.run(), 64, "say what to do");
    saysOnce(tool.run("frob"), 64, "no command 'frob'");
    saysOnce(tool.run("run"), 64, "needs a lock name");
    saysOnce(tool.run("run", "x"), 64, "needs a command after --");
    saysOnce(tool.run("run", "x", "--"), 64, "needs a command after --");
    saysOnce(tool.run("run", "x", "true"), 64, "write -- before the command");
    saysOnce(tool.run("run", "x", "ls", "-l"), 64, "'-l'; write -- before the command");
    saysOnce(tool.run("run", "x", "y", "--", "true"), 64, "one lock name");
    saysOnce(tool.run("run", "-n", "--wait", "1s", "x", "--", "true"), 64, "-n is --wait 0");
    saysOnce(tool.run("run", "--busy-exit", "256", "x", "--", "true"), 64, "0 to 255");
    saysOnce(
        tool.run("run", "--wait", "5", "x", "--", "true"),
        64,
        "--wait: '5' is not a duration: it has no unit; write 5s");
    saysOnce(
        tool.run("run", "--wait", "soon", "x", "--", "true"),
        64,
        "--wait: 'soon' is not a duration");
    saysOnce(tool.run("run", "--ttl", "0", "x", "--", "true"), 64, "ttl must be positive");
    saysOnce(tool.run("run", "--ttl", "1ms", "x", "--", "true"), 64, "ttl");
    saysOnce(tool.run("run", "--max-hold", "0", "x", "--", "true"), 64, "maxHold must be positive");
    saysOnce(
        tool.run("--accept", "anything", "run", "x", "--", "true"),
        64,
        "--accept takes only unfenced");
    saysOnce(tool.run("who"), 64, "who takes one lock name: who NAME");
    saysOnce(tool.run("list", "a", "b"), 64, "one pattern");
    saysOnce(tool.run("wait", "a", "b"), 64, "wait takes one lock name: wait NAME");
    saysOnce(tool.run("break", "--token", "7"), 64, "break takes one lock name");
    saysOnce(tool.run("break", "x"), 64, "break NAME --token N");
    saysOnce(tool.run("break", "x", "--token", "-7"), 64, "--token takes a token");
    saysOnce(tool.run("break", "x", "--token", "9".repeat(19)), 64, "--token");
    saysOnce(tool.run("doctor", "x"), 64, "doctor takes no lock name");
  }

  @Test
  void sharesThatMakeNoSenseAre64() {
    for (String permits : new String[] {"2", "2/", "/5", "-1/5", "2/5/7", "two/five", ""}) {
      saysOnce(
          tool.run("run", "--permits=" + permits, "x", "--", "true"),
          64,
          "--permits takes K/N, as in 2/5 for two of five");
    }
    saysOnce(tool.run("run", "--permits", "0/5", "x", "--", "true"), 64, "at least 1 and at most");
    saysOnce(tool.run("run", "--permits", "6/5", "x", "--", "true"), 64, "at least 1 and at most");
    saysOnce(
        tool.run("run", "--permits", "1/5", "--shared", "x", "--", "true"),
        64,
        "--shared and --permits exclude each other");
    assertThat(tool.store()).as("made by what makes no sense").doesNotExist();
  }

  @Test
  void aBadNameAndABadStoreAre64() {
    saysOnce(tool.run("run", "", "--", "true"), 64, "empty");
    saysOnce(tool.run("run", "x".repeat(256), "--", "true"), 64, "255");
    saysOnce(tool.run("who", ""), 64, "empty");
    saysOnce(
        tool.run("--store", "gopher://h", "run", "x", "--", "true"),
        64,
        "unknown store URL scheme gopher");
    saysOnce(tool.run("--store", "nothing", "run", "x", "--", "true"), 64, "begins with a scheme");
    saysOnce(
        tool.run("--store", "file:x?frob=1", "run", "x", "--", "true"),
        64,
        "unknown parameter frob");
  }

  @Test
  void aStoreThatCannotBeReachedIs69() throws IOException {
    Files.writeString(directory.resolve("plain"), "");
    String below = "file:" + directory.resolve("plain") + "/locks.db";

    Running.Result result = tool.run("--store", below, "run", "x", "--", "true");

    assertThat(result.code()).as(result.err()).isIn(69, 77);
    assertThat(result.err()).startsWith("leasehold: ").hasLineCount(1);
  }

  /** As root, without what lets root write everywhere. */
  @Test
  void aDefaultStoreThatMustNotBeMadeIs77AndNoPlaceForItIs64() throws IOException {
    Path state = Files.createDirectory(directory.resolve("state"));
    Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("r-xr-xr-x"));
    tool.without("LEASEHOLD_STORE").with("XDG_STATE_HOME", state.toString());
    List<String> run =
        new ArrayList<>(
            List.of(Tool.root().resolve("leasehold").toString(), "run", "x", "--", "true"));
    if (Files.isWritable(state)) {
      run.addAll(
          0,
          List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"));
    }
    try (Running running = tool.startProcess(Path.of("/dev/null"), run)) {
      saysOnce(running.end(), 77, "cannot make the default store " + state);
    }
    tool.without("XDG_STATE_HOME").with("HOME", "?");
    saysOnce(tool.run("run", "x", "--", "true"), 64, "HOME is not an absolute path");
    assertThat(directory.resolve("?")).doesNotExist();
  }

  @Test
  void aStoreThatRefusesIs77() throws IOException {
    Path notSqlite =
        Files.writeString(
            directory.resolve("text.db"), "this is a letter, not a database. ".repeat(200));

    Running.Result result = tool.run("--store", "file:" + notSqlite, "run", "x", "--", "true");

    assertThat(result.code()).as(result.err()).isEqualTo(77);
    assertThat(result.err()).startsWith("leasehold: ").hasLineCount(1);
  }

  @Test
  void notAcquiredInTimeIs75AndNamesTheHolder() {
    try (Running holder = tool.hold("x")) {
      saysOnce(tool.run("run", "--wait", "0", "x", "--", "true"), 75, "/" + holder.pid() + "/");

      Running.Result waited = tool.run("run", "--wait", "300ms", "x", "--", "true");
      assertThat(waited.code()).isEqualTo(75);
      assertThat(waited.err())
          .contains("waiting for 'x', held by", "not acquired")
          .hasLineCount(2)
          .doesNotContain("inspect");

      saysOnce(tool.run("run", "-n", "x", "--", "true"), 75, "/" + holder.pid() + "/");
      String quiet = "run --quiet --busy-exit 0 --wait 300ms x -- false";
      assertThat(tool.run(quiet.split(" "))).isEqualTo(new Running.Result(0, "", ""));
    }
  }

  @Test
  void aRunThatWaitsForTheRunThatItIsPartOfSaysSo() {
    String script = Tool.root().resolve("leasehold").toString();
    Running.Result result =
        tool.run("run", "x", "--", script, "run", "--wait", "300ms", "x", "--", "true");

    assertThat(result.code()).isEqualTo(75);
    assertThat(result.err())
        .contains("waiting for 'x', held by ", "the run that this one is part of")
        .hasLineCount(2);
  }

  @Test
  void helpGoesToStdoutAndIsNoFailure() {
    List<Running> all = new ArrayList<>();
    try {
      for (String line :
          List.of("--help", "help", "help run", "wait --help", "list -h", "--version")) {
        all.add(tool.start(line.split(" ", -1)));
      }
      List<String> texts = new ArrayList<>();
      for (Running running : all) {
        Running.Result result = running.end();
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err()).isEmpty();
        texts.add(result.out());
      }
      assertThat(texts.get(0)).contains("leasehold COMMAND --help").isEqualTo(texts.get(1));
      assertThat(texts.get(2)).contains("leasehold run --wait 10s --max-hold 1h");
      assertThat(texts.get(3)).contains("leasehold wait nightly");
      assertThat(texts.get(4)).contains("leasehold list 'invoice-*'");
      assertThat(texts.get(5)).containsPattern("^leasehold \\d+\\.\\d+");
    } finally {
      all.forEach(Running::close);
    }
  }

  private static void saysOnce(Running.Result result, int code, String words) {
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    assertThat(result.err()).startsWith("leasehold: ").contains(words).hasLineCount(1);
    assertThat(result.out()).isEmpty();
  }
}
