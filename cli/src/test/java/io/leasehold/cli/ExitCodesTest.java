package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every exit code of the command, and where it says why. */
class ExitCodesTest {
  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 64, 76, 255})
  void theCommandsOwnCodeIsTheTools(int code) {
    Running.Result result = tool.run("run", "x", "--", "sh", "-c", "exit " + code);

    assertThat(result.code()).isEqualTo(code);
    assertThat(result.err()).isEmpty();
    assertThat(result.out()).isEmpty();
    assertThat(tool.run("who", "x").code()).isEqualTo(1);
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
    saysOnce(tool.run("run", "x", "true"), 64, "one lock name");
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
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "run --help",
        "wait --help",
        "who --help",
        "list -h",
        "break --help",
        "doctor --help",
        "--version"
      })
  void helpGoesToStdoutAndIsNoFailure(String line) {
    Running.Result result = tool.run(line.split(" ", -1));

    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .containsPattern(
            line.equals("--version")
                ? "^leasehold \\d+\\.\\d+"
                : "\n +leasehold .*(run|wait|who|list|break|doctor)");
  }

  private static void saysOnce(Running.Result result, int code, String words) {
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    assertThat(result.err()).startsWith("leasehold: ").contains(words).hasLineCount(1);
    assertThat(result.out()).isEmpty();
  }
}
