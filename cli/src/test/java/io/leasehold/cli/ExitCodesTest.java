package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    Map<List<String>, String> words = new LinkedHashMap<>();
    words.put(List.of(), "no command given");
    words.put(List.of("frob"), "no command 'frob'");
    words.put(List.of("run"), "needs a lock name");
    words.put(List.of("run", "x"), "needs a command after --");
    words.put(List.of("run", "x", "--"), "needs a command after --");
    words.put(List.of("run", "x", "true"), "write -- before the command");
    words.put(List.of("run", "x", "ls", "-l"), "'-l'; write -- before the command");
    words.put(List.of("run", "x", "y", "--", "true"), "one lock name");
    words.put(run("-n", "--wait", "1s"), "-n is --wait 0");
    words.put(run("--busy-exit", "256"), "0 to 255");
    words.put(run("--wait", "5"), "--wait: '5' is not a duration: it has no unit; write 5s");
    words.put(run("--wait", "soon"), "--wait: 'soon' is not a duration");
    words.put(run("--ttl", "0"), "ttl must be positive");
    words.put(run("--ttl", "1ms"), "ttl");
    words.put(run("--max-hold", "0"), "maxHold must be positive");
    words.put(run("--min-hold", "0"), "minHold must be positive");
    words.put(run("--min-hold", "2s", "--max-hold", "1s"), "minHold must not be longer");
    words.put(run("--accept", "anything"), "--accept takes only unfenced");
    words.put(run("--store", "file:x", "--store-file", "y"), "both name a store");
    words.put(run("--permits", "two/five"), "--permits takes K/N, as in 2/5 for two of five");
    words.put(run("--permits", "1/5", "--shared"), "--shared and --permits exclude each other");
    words.put(List.of("who"), "who takes one lock name: who NAME");
    words.put(List.of("list", "a", "b"), "one pattern");
    words.put(List.of("wait", "a", "b"), "wait takes one lock name: wait NAME");
    words.put(List.of("break", "--token", "7"), "break takes one lock name");
    words.put(List.of("break", "x"), "break NAME --token N");
    words.put(List.of("break", "x", "--token", "-7"), "--token takes a token");
    words.put(List.of("break", "x", "--token", "9".repeat(19)), "--token");
    words.put(List.of("doctor", "x"), "doctor takes no lock name");
    sayOnce64(words);
    assertThat(directory.resolve("ran")).doesNotExist();
  }

  private static List<String> run(String... options) {
    List<String> words = new ArrayList<>(List.of("run", "x"));
    words.addAll(List.of(options));
    words.addAll(List.of("--", "touch", "ran"));
    return words;
  }

  /** Two at a time: starting is most of what they do. */
  private void sayOnce64(Map<List<String>, String> all) {
    Deque<List<String>> left = new ArrayDeque<>(all.keySet());
    while (!left.isEmpty()) {
      List<String> first = left.remove();
      List<String> second = left.isEmpty() ? first : left.remove();
      try (Running one = tool.start(first.toArray(String[]::new));
          Running two = tool.start(second.toArray(String[]::new))) {
        saysOnce(one.end(), 64, all.get(first));
        saysOnce(two.end(), 64, all.get(second));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "2/", "/5", "-1/5", "2/5/7", "two/five", "", "0/5", "6/5"})
  void sharesThatMakeNoSenseAreRefused(String permits) {
    assertThatThrownBy(() -> Permits.parse(permits))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--permits");
  }

  @Test
  void aBadNameAndABadStoreAre64() {
    Map<List<String>, String> words = new LinkedHashMap<>();
    words.put(List.of("run", "", "--", "true"), "empty");
    words.put(List.of("run", "x".repeat(256), "--", "true"), "255");
    words.put(List.of("who", ""), "empty");
    words.put(run("--store", "gopher://h"), "unknown store URL scheme gopher");
    words.put(run("--store", "nothing"), "begins with a scheme");
    words.put(run("--store", "file:x?frob=1"), "unknown parameter frob");
    sayOnce64(words);
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

      Running.Result waited = tool.run("run", "--wait", "2s", "x", "--", "true");
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
        tool.run("run", "x", "--", script, "run", "--wait", "2s", "x", "--", "true");

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
