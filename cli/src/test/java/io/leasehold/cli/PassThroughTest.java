package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the command sees is what the caller gave: streams, arguments, environment. */
class PassThroughTest {
  private static final String FIRST = "счёт-1";
  private static final String SECOND = "отчёт";

  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @Test
  void theStreamsAreTheCallersByteForByte() throws IOException {
    byte[] bytes = new byte[1_000_000];
    new Random(7).nextBytes(bytes);
    Path input = Files.write(directory.resolve("input"), bytes);
    try (Running running = tool.start(input, "run", "x", "--", "sh", "-c", "tee /dev/stderr")) {
      assertThat(running.process().onExit().join().exitValue()).isZero();
      assertThat(Files.readAllBytes(running.out())).isEqualTo(bytes);
      assertThat(Files.readAllBytes(running.err())).isEqualTo(bytes);
    }
  }

  @Test
  void theCommandSeesWhatItHolds() {
    Running.Result first =
        tool.run(
            "run",
            "x",
            "--",
            "sh",
            "-c",
            "echo $LEASEHOLD_NAME $LEASEHOLD_TOKEN $LEASEHOLD_LEASE_ID");
    Running.Result second = tool.run("run", "x", "--", "sh", "-c", "echo $LEASEHOLD_TOKEN");

    assertThat(first.out()).matches("x \\d+ [0-9a-f]{32}\n");
    assertThat(Long.parseLong(second.out().strip()))
        .isGreaterThan(Long.parseLong(first.out().split(" ", -1)[1]));
  }

  @Test
  void aRunInsideARunSeesItsOwn() {
    String script = Tool.root().resolve("leasehold").toString();
    Running.Result result =
        tool.run(
            "run",
            "outer",
            "--",
            script,
            "run",
            "inner",
            "--",
            "sh",
            "-c",
            "echo $LEASEHOLD_NAME; env | grep -c CALLER");

    assertThat(result.out()).isEqualTo("inner\n0\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"C", "xx_XX.ISO-8859-1"})
  void namesAndArgumentsAreTheSameBytesInEveryLocale(String locale) {
    Tool there = new Tool(directory).with("LANG", locale);
    try (Running holder = there.hold(FIRST)) {
      assertThat(holder.process().isAlive()).isTrue();
      assertThat(there.run("run", "--wait", "0", SECOND, "--", "true").code())
          .as("another name")
          .isZero();
      assertThat(there.run("run", "--wait", "0", FIRST, "--", "true").code()).isEqualTo(75);
      Running.Result seen =
          there.run(
              "run", "имя", "--", "sh", "-c", "printf %s \"$0 $LEASEHOLD_NAME $LANG\"", "довод");
      assertThat(seen.out()).isEqualTo("довод имя " + locale);
      assertThat(there.run("who", FIRST).out()).contains(FIRST);
    }
  }

  @Test
  void theCallersLocaleComesBackAlsoIfItWasUnset() {
    String show =
        "printf '%s|%s|%s|%s' \"${LC_ALL-unset}\" \"${LANG-unset}\" \"${LC_CTYPE-unset}\" \"${JAVA_TOOL_OPTIONS-unset}\"";

    assertThat(tool.run("run", "x", "--", "sh", "-c", show).out())
        .isEqualTo("unset|unset|unset|unset");
    Tool set =
        new Tool(directory)
            .with("LC_ALL", "")
            .with("LANG", "C")
            .with("LC_CTYPE", "POSIX")
            .with("JAVA_TOOL_OPTIONS", "-Xmx1g");
    assertThat(set.run("run", "x", "--", "sh", "-c", show).out()).isEqualTo("|C|POSIX|-Xmx1g");
    assertThat(
            new Tool(directory).with("LC_ALL", "C").run("run", "x", "--", "sh", "-c", show).out())
        .startsWith("C|");
  }

  @Test
  void argumentsThatAreNoTextReachTheCommandAsTheyAre() {
    // Java could not even pass these on to the tool, so a shell does
    Running.Result result =
        shell(
            "\"$0\" run x -- sh -c 'printf %s \"$1$2\" | od -An -tx1' - $'\\xff\\xfe\\xd0' $'\\xd0\\x96'");

    assertThat(result.err()).isEmpty();
    assertThat(result.out().strip()).isEqualTo("ff fe d0 d0 96");
    assertThat(shell("\"$0\" run x -- sh -c 'exit $((${#1} + 40))' - $'\\xff\\xfe\\xff'").code())
        .isEqualTo(43);
    assertThat(shell("\"$0\" run x -- $'no\\xff'").code()).isEqualTo(127);
  }

  @Test
  void aNameThatIsNoTextIsRefused() {
    assertThat(shell("\"$0\" run $'\\xff' -- true").code()).isEqualTo(64);
    assertThat(shell("\"$0\" who $'a\\xd0'").code()).isEqualTo(64);
  }

  @Test
  void emptyAndHostileArgumentsSurvive() {
    String all = "\"'$`\\ *?;|&<>(){}[]!#~\t\n";
    Running.Result result =
        tool.run(
            "run",
            "a/:%'\" ;*\n😀",
            "--",
            "sh",
            "-c",
            "printf '%s|' \"$@\" \"$LEASEHOLD_NAME\"",
            "-",
            "",
            all,
            "--",
            "-x",
            "");

    assertThat(result.out()).isEqualTo("|" + all + "|--|-x||a/:%'\" ;*\n😀|");
  }

  @Test
  void theToolsOwnWordsNeverMixIntoTheCommandsOutput() {
    try (Running holder = tool.hold("x");
        Running waiter = tool.start("run", "x", "--", "echo", "result").awaitSaid("waiting")) {
      holder.signal("TERM");
      Running.Result result = waiter.end();

      assertThat(result.out()).isEqualTo("result\n");
      assertThat(result.err()).startsWith("leasehold: waiting for 'x', held by ").hasLineCount(1);
    }
  }

  @Test
  void theDefaultStoreIsAFileThatOnlyItsOwnerReads() throws IOException {
    Path state = directory.resolve("st%20a?te");
    Tool own =
        new Tool(directory).without("LEASEHOLD_STORE").with("XDG_STATE_HOME", state.toString());

    assertThat(own.run("run", "x", "--", "true").code()).isZero();

    Path file = state.resolve("leasehold").resolve("locks.db");
    assertThat(permissions(file)).doesNotContain("GROUP", "OTHERS");
    assertThat(permissions(file.getParent())).doesNotContain("GROUP", "OTHERS");

    Tool home =
        new Tool(directory)
            .without("LEASEHOLD_STORE")
            .without("XDG_STATE_HOME")
            .with("HOME", directory.resolve("home").toString());
    assertThat(home.run("run", "x", "--", "true").code()).isZero();
    assertThat(directory.resolve("home/.local/state/leasehold/locks.db")).exists();
  }

  @Test
  void noSecretIsPassedOnAndANestedRunDoesNotTakeAnotherStoreInstead() {
    tool.with("LEASEHOLD_STORE", "jdbc:h2:" + directory.resolve("h2") + ";PASSWORD=geheim")
        .with("LEASEHOLD_PASSWORD", "geheim");

    Running.Result result =
        tool.run("run", "x", "--", "sh", "-c", "env; exec \"$0\" who x", script());

    assertThat(result.out()).contains("LEASEHOLD_NAME=x").doesNotContain("geheim");
    assertThat(result.code()).isEqualTo(64);
    assertThat(result.err()).contains("LEASEHOLD_STORE holds a secret").hasLineCount(1);
  }

  @Test
  void theStoreMayStandInAFile() throws IOException {
    Path file = Files.writeString(directory.resolve("store"), "file:" + tool.store() + "\n");
    Tool named = new Tool(directory).with("LEASEHOLD_STORE_FILE", file.toString());
    named.without("LEASEHOLD_STORE");
    assertThat(named.run("run", "x", "--", script(), "who", "x").out()).contains("held");

    try (Running holder = tool.hold("y")) {
      assertThat(holder.process().isAlive()).isTrue();
      tool.with("LEASEHOLD_STORE", "file:" + directory.resolve("other.db"));
      assertThat(tool.run("who", "y", "--store-file", "store").out()).contains("held");
    }
    Running.Result gone = tool.run("who", "y", "--store-file", "gone");
    assertThat(gone.code()).isEqualTo(64);
    assertThat(gone.err()).contains("cannot read", "gone").hasLineCount(1);
  }

  /** A file of the tool's own must not stand in their place. */
  @Test
  void streamsThatAreClosedAreClosedForTheCommand() {
    String look =
        "\"$0\" run x -- sh -c 'for i in 0 1 2; do if [ -e /proc/$$/fd/$i ]; then touch NAME.$i; fi; done;"
            + " touch NAME' $'\\xff' ";
    Map<String, String> closed =
        Map.of("no0", "<&-", "no1", ">&-", "no2", "2>&-", "none", "<&- >&- 2>&-");
    closed.forEach(
        (name, redirection) -> {
          String line = look.replace("NAME", name) + redirection;
          assertThat(shell(line).code()).as(name).isZero();
        });
    List<String> seen =
        Stream.of(directory.toFile().list()).filter(f -> f.startsWith("no")).toList();
    assertThat(seen)
        .containsExactlyInAnyOrder(
            "no0", "no0.1", "no0.2", "no1", "no1.0", "no1.2", "no2", "no2.0", "no2.1", "none");
  }

  private static String script() {
    return Tool.root().resolve("leasehold").toString();
  }

  private static String permissions(Path file) throws IOException {
    return Files.getPosixFilePermissions(file).stream()
        .map(Enum::name)
        .sorted()
        .reduce((a, b) -> a + ", " + b)
        .orElse("");
  }

  /** Runs a line of bash, to which {@code $0} is the tool. The line is ASCII. */
  private Running.Result shell(String line) {
    assertThat(StandardCharsets.US_ASCII.newEncoder().canEncode(line))
        .as(HexFormat.of().formatHex(line.getBytes(StandardCharsets.UTF_8)))
        .isTrue();
    try (Running running =
        tool.startProcess(
            Path.of("/dev/null"),
            List.of("bash", "-c", line, Tool.root().resolve("leasehold").toString()))) {
      return running.end();
    }
  }
}
