package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script: what it builds, when, and from where it can be called. Builds in copies. */
class LauncherTest {
  private static final List<String> COMMANDS =
      List.of(
          "bash",
          "cat",
          "cp",
          "dirname",
          "env",
          "find",
          "flock",
          "grep",
          "java",
          "javac",
          "ldd",
          "ln",
          "mkdir",
          "mv",
          "mvn",
          "readlink",
          "rm",
          "sed",
          "sh",
          "tail",
          "touch",
          "true",
          "uname");

  /** A build by Maven takes long beside other tests. */
  private static final Duration BUILD = Duration.ofMinutes(10);

  @TempDir Path directory;
  private Path copy;

  private void copySources() throws Exception {
    copy = directory.resolve("a copy");
    // What is built stays behind; the built tool too
    Process process =
        new ProcessBuilder(
                "bash",
                "-c",
                "mkdir \"$1\" && tar c --exclude=target --exclude='target-*' --exclude=.git --exclude=.leasehold . | tar x -C \"$1\"",
                "copy",
                copy.toString())
            .directory(Tool.root().toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void afterAKilledBuildTwoCallsBuildOnceAndLaterCallsOnlyWhenSourcesChange() throws Exception {
    copySources();
    Tool tool = new Tool(directory, copy.resolve("leasehold"));
    killABuild(tool);
    try (Running one = tool.start("run", "x", "--", "echo", "one");
        Running two = tool.start("run", "y", "--", "echo", "two")) {
      Running.Result first = one.end(BUILD);
      Running.Result second = two.end(BUILD);

      assertThat(first.code()).as(first.err()).isZero();
      assertThat(second.code()).as(second.err()).isZero();
      assertThat(first.out() + second.out()).isEqualTo("one\ntwo\n");
      List<String> said = (first.err() + second.err()).lines().toList();
      assertThat(said).filteredOn(line -> line.contains("building, once")).hasSize(1);
      // Both wait where what the killed build had started still ends
      assertThat(said)
          .filteredOn(line -> !line.contains("building, once"))
          .isNotEmpty()
          .containsOnly("leasehold: waiting for another call, which builds or prepares");
    }
    assertThat(builds()).isEqualTo(1);

    Tool withoutMaven =
        new Tool(directory, copy.resolve("leasehold"))
            .with("JAVA_HOME", System.getProperty("java.home"))
            .with("PATH", pathWithout("mvn"));
    assertThat(withoutMaven.run("run", "x", "--", "true").err())
        .as("Maven is not touched")
        .isEmpty();

    Path source = copy.resolve("cli/src/main/java/io/leasehold/cli/Grammar.java");
    Files.writeString(
        source,
        Files.readString(source).replace("Runs commands under", "Runs altered commands under"));
    Running.Result noMaven = withoutMaven.run("--help");
    assertThat(noMaven.code()).as(noMaven.err()).isZero();
    assertThat(noMaven.out()).contains("Runs commands under");
    assertThat(noMaven.err())
        .startsWith("leasehold: no mvn in PATH: this is the build of older sources")
        .hasLineCount(1);
    assertThat(tool.run("--help").out()).contains("Runs altered commands under");
    assertThat(builds()).isEqualTo(2);

    Files.writeString(source, "this is no Java");
    Running.Result broken = tool.run("--help");
    assertThat(broken.code()).isEqualTo(69);
    assertThat(broken.err()).contains("COMPILATION ERROR", "the build failed; its log is ");
    assertThat(broken.out()).isEmpty();
  }

  @Test
  void worksThroughALinkFromAnywhereAndWithARelativePath() throws IOException {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Files.createSymbolicLink(bin.resolve("lh"), Tool.root().resolve("leasehold"));
    Tool tool = new Tool(directory);
    tool.with("PATH", bin + ":" + System.getenv("PATH"));

    try (Running linked =
        tool.startProcess(
            Path.of("/dev/null"),
            List.of(
                "sh",
                "-c",
                "cd bin && ./lh --version && cd / && lh --version && cd '"
                    + Tool.root()
                    + "' && ./leasehold --version && bash leasehold --version && cd cli && ../leasehold --version"))) {
      Running.Result result = linked.end();
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.out()).hasLineCount(5);
    } finally {
      Files.delete(bin.resolve("lh"));
    }
  }

  /** Each class that is not in the archive costs a start more than a hundred that are. */
  @ParameterizedTest
  @ValueSource(strings = {"run", "lead"})
  void nearlyAllClassesOfARunAreInTheArchive(String command) throws IOException {
    String traced =
        "'ROOT/leasehold' --version && export LC_ALL=C.UTF-8 && . \"$(ls -t 'ROOT'/.leasehold/current/prepared* | head -n 1)\" && "
            + "exec \"$prepared_java\" \"${options[@]}\" -Xlog:class+load:file=loaded "
            + "io.leasehold.cli.Main --store file:traced.db COMMAND x -- true";
    try (Running running =
        new Tool(directory)
            .startProcess(
                Path.of("/dev/null"),
                List.of(
                    "bash",
                    "-c",
                    traced.replace("ROOT", Tool.root().toString()).replace("COMMAND", command)))) {
      Running.Result result = running.end();
      assertThat(result.code()).as(result.err()).isZero();
    }
    List<String> loaded = Files.readAllLines(directory.resolve("loaded"));
    assertThat(loaded).hasSizeGreaterThan(1_000);
    assertThat(loaded)
        .filteredOn(line -> !line.contains("shared objects file"))
        .hasSizeLessThan(15);
  }

  @Test
  void aPlaceWhereJavaCannotStartIsSaidInOneLine() {
    try (Running limited = shell("ulimit -v 400000; exec \"$0\" run x -- touch ran");
        Running nowhere =
            shell("mkdir gone; cd gone; rmdir ../gone; exec \"$0\" run x -- touch ran")) {
      Running.Result result = limited.end();
      assertThat(result.code()).isEqualTo(69);
      assertThat(result.err()).startsWith("leasehold: ").contains("ulimit -v").hasLineCount(1);

      Running.Result gone = nowhere.end();
      assertThat(gone.code()).isEqualTo(69);
      // bash, the script's own, says so too
      assertThat(gone.err().lines().filter(line -> !line.startsWith("shell-init: ")))
          .singleElement()
          .asString()
          .isEqualTo("leasehold: the current directory has been removed");
    }
  }

  private Running shell(String line) {
    return new Tool(directory)
        .startProcess(
            Path.of("/dev/null"),
            List.of("sh", "-c", line, Tool.root().resolve("leasehold").toString()));
  }

  @Test
  void anOldJavaNoJavaAndNoMavenAreSaidInOneLine() throws Exception {
    copySources();
    Path old = Files.createDirectories(directory.resolve("old/bin")).resolve("java");
    executable(old, "#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n");

    Running.Result tooOld =
        new Tool(directory, copy.resolve("leasehold"))
            .with("JAVA_HOME", directory.resolve("old").toString())
            .run("--version");
    assertThat(tooOld.code()).isEqualTo(69);
    assertThat(tooOld.err())
        .startsWith("leasehold: ")
        .contains("is Java 11: 17 or newer is needed")
        .hasLineCount(1);

    Running.Result none =
        new Tool(directory, copy.resolve("leasehold"))
            .without("JAVA_HOME")
            .with("PATH", pathWithout("java"))
            .run("--version");
    assertThat(none.code()).isEqualTo(69);
    assertThat(none.err()).startsWith("leasehold: no java").hasLineCount(1);

    Running.Result noMaven =
        new Tool(directory, copy.resolve("leasehold"))
            .with("JAVA_HOME", System.getProperty("java.home"))
            .with("PATH", pathWithout("mvn"))
            .run("--version");
    assertThat(noMaven.code()).isEqualTo(69);
    assertThat(noMaven.err()).startsWith("leasehold: no mvn in PATH").hasLineCount(1);
  }

  /** Kills the script in the middle, and some time later what it had started. */
  private void killABuild(Tool tool) {
    try (Running killed = tool.start("--version")) {
      killed.awaitSaid("building");
      await()
          .atMost(Tool.PATIENCE)
          .until(() -> Files.exists(copy.resolve("core/target-tool/classes")));
      List<ProcessHandle> maven = killed.process().descendants().toList();
      killed.signal("KILL");
      killed.end();
      maven.forEach(ProcessHandle::destroyForcibly);
    }
  }

  private long builds() throws IOException {
    try (var files = Files.list(copy.resolve(".leasehold"))) {
      return files.filter(file -> file.getFileName().toString().matches("build-\\d+")).count();
    }
  }

  /** A directory with the commands that the script needs, but one. */
  private String pathWithout(String missing) throws IOException {
    Path bin = directory.resolve("without-" + missing);
    if (!Files.exists(bin)) {
      Files.createDirectory(bin);
      for (String command : COMMANDS) {
        if (!command.equals(missing)) {
          String real = SearchPath.of(System.getenv("PATH")).find(command).orElseThrow().getPath();
          executable(bin.resolve(command), "#!/bin/sh\nexec '" + real + "' \"$@\"\n");
        }
      }
    }
    return bin.toString();
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
