package io.leasehold.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packages, installed in an empty folder and used there. */
class InstalledTest {
  private static final List<String> COMMANDS =
      List.of("run", "wait", "who", "list", "break", "doctor", "once", "lead");

  @TempDir static Path directory;
  private static Packages packages;
  private static Path root;
  private static String leasehold;
  private static boolean installed;

  @BeforeAll
  static void install() throws IOException {
    packages = new Packages(directory);
    root = directory.resolve("root");
    leasehold = root.resolve("usr/bin/leasehold").toString();
    packages.with("PATH", root.resolve("usr/bin") + ":" + System.getenv("PATH"));
    installed = packages.has("dpkg");
    if (installed) {
      for (String folder : List.of("info", "updates", "triggers")) {
        Files.createDirectories(root.resolve("var/lib/dpkg").resolve(folder));
      }
      Files.createFile(root.resolve("var/lib/dpkg/status"));
      dpkg("--install", packages.out().resolve("leasehold.deb").toString());
    }
  }

  /** In the folder; without root, and without Java, which is not installed there. */
  private static void dpkg(String... words) {
    Stream<String> options =
        Stream.of(
            "dpkg",
            "--root=" + root,
            "--force-not-root",
            "--force-depends",
            "--force-script-chrootless",
            "--log=/dev/null");
    packages.run(Stream.concat(options, Stream.of(words)).toArray(String[]::new));
  }

  private static void assumeInstalled() {
    assumeTrue(installed, "no dpkg here: this is no Debian");
  }

  @Test
  void theInstalledCommandRunsUnderALockAndShowsIt() throws IOException {
    assumeInstalled();
    assertThat(packages.run(leasehold, "--version")).startsWith("leasehold ").hasLineCount(1);
    Path text = directory.resolve("held");
    Process holder =
        packages.start(
            text,
            leasehold,
            "run",
            "nightly",
            "--",
            "sh",
            "-c",
            "echo $LEASEHOLD_TOKEN; sleep 600");
    try {
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> Files.exists(text) && Files.readString(text).endsWith("\n"));
      String token = Files.readString(text).strip();
      assertThat(packages.run(leasehold, "who", "nightly")).contains("held", token);
      assertThat(bash("leasehold who ni")).containsExactly("nightly");
      assertThat(bash("leasehold --store file:" + directory + "/other.db who ni")).isEmpty();
      Packages.Ended busy = packages.end(leasehold, "run", "-n", "nightly", "--", "true");
      assertThat(busy.code()).isEqualTo(75);
    } finally {
      holder.descendants().forEach(ProcessHandle::destroyForcibly);
      holder.destroyForcibly();
    }
  }

  @Test
  void installingPreparesAFastStartForAllAndRemovingLeavesNothing() throws IOException {
    assumeInstalled();
    Path cache = root.resolve("var/cache/leasehold");
    try (var files = Files.walk(cache)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .anyMatch(f -> f.startsWith("classes+"))
          .anyMatch(f -> f.startsWith("prepared+"))
          .anyMatch(f -> f.startsWith("libsqlitejdbc"));
    }
    packages.run(leasehold, "--version");
    assertThat(directory.resolve("cache")).as("nothing is prepared again").doesNotExist();

    Path other = Files.createDirectories(directory.resolve("removed"));
    packages.run("cp", "-a", root.toString(), other.toString());
    packages.run(
        "dpkg",
        "--root=" + other.resolve("root"),
        "--force-not-root",
        "--force-script-chrootless",
        "--log=/dev/null",
        "--purge",
        "leasehold");
    assertThat(other.resolve("root/var/cache/leasehold")).doesNotExist();
    assertThat(other.resolve("root/usr/share/leasehold")).doesNotExist();
  }

  @Test
  void theManualPageSaysAllThatTheHelpSays() {
    assumeInstalled();
    Path page = root.resolve("usr/share/man/man1/leasehold.1.gz");
    String roff = packages.run("gzip", "-dc", page.toString());
    String said = words(roff.replaceAll("(?m)^\\.\\S*( |$)", ""));
    for (String command : COMMANDS) {
      packages
          .run(leasehold, command, "--help")
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("Usage: "))
          .forEach(line -> assertThat(said).as(command).contains(words(line)));
    }
    if (packages.has("man")) {
      assertThat(packages.run("man", "--warnings", "-l", page.toString()))
          .contains("NAME", "leasehold run [OPTION]... NAME -- CMD ARG...", "--max-hold D")
          .doesNotContain("warning:");
    }
  }

  /**
   * Without what differs between the two: an option's names and the sign before its value, and line
   * breaks.
   */
  private static String words(String text) {
    return text.replaceAll("\\\\\\(dq", "\"")
        .replaceAll("\\\\\\(ha", "^")
        .replaceAll("\\\\\\(ti", "~")
        .replace("\\e", "\0")
        .replace("\\&", "")
        .replace("\\", "")
        .replace("\0", "\\")
        .replaceAll("(--[a-z-]+)=(?=[A-Za-z])", "$1 ")
        .replaceAll("-h, --help|--help, -h", "--help")
        .replaceAll("-V, --version|--version, -V", "--version")
        .replaceAll("\\s+", " ")
        .strip();
  }

  @Test
  void bashCompletesCommandsOptionsFilesAndTheCommandToRun() throws IOException {
    assumeInstalled();
    assertThat(bash("leasehold ")).containsExactlyInAnyOrderElementsOf(COMMANDS);
    assertThat(bash("leasehold --store file:/tmp/x.db do")).containsExactly("doctor");
    assertThat(bash("leasehold run --max")).containsExactly("--max-hold");
    assertThat(bash("leasehold who --max")).isEmpty();
    assertThat(bash("leasehold run --accept ")).containsExactly("unfenced");
    assertThat(bash("leasehold run list -- gzi")).contains("gzip");
    assertThat(bash("leasehold once key -- gzi")).contains("gzip");
    assertThat(bash("leasehold lead name -- gzi")).contains("gzip");
    assertThat(bash("leasehold who x -- gzi")).isEmpty();
    for (String command : COMMANDS) {
      List<String> options = bash("leasehold " + command + " -");
      String help = packages.run(leasehold, command, "--help");
      assertThat(options).isNotEmpty().allSatisfy(option -> assertThat(help).contains(option));
    }
  }

  /** What bash offers at the end of {@code line}. */
  private static List<String> bash(String line) {
    String script =
        """
        source "$1"
        COMP_LINE=$2 COMP_POINT=${#2}
        read -ra COMP_WORDS <<< "${2//:/ : }"
        [[ $2 != *' ' ]] || COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        $(complete -p leasehold | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
        printf '%s\\n' "${COMPREPLY[@]}"
        """;
    Path completion = root.resolve("usr/share/bash-completion/completions/leasehold");
    return packages
        .run("bash", "-c", script, "bash", completion.toString(), line)
        .lines()
        .filter(word -> !word.isBlank())
        .distinct()
        .toList();
  }

  @Test
  void zshReadsItsCompletion() {
    assumeInstalled();
    assumeTrue(packages.has("zsh"), "no zsh here");
    Path completion = root.resolve("usr/share/zsh/vendor-completions/_leasehold");
    packages.run("zsh", "-n", completion.toString());
  }

  @Test
  void lintianFindsNothing() {
    assumeInstalled();
    assumeTrue(packages.has("lintian"), "no lintian here");
    Packages.Ended found =
        packages.end(
            "lintian",
            "--allow-root",
            "--fail-on",
            "error,warning",
            packages.out().resolve("leasehold.deb").toString());
    assertThat(found.code()).as(found.text()).isZero();
  }

  @Test
  void theCopyrightFileNamesEveryLibrary() throws IOException {
    List<String> named =
        Files.readString(Packages.root().resolve("packaging/debian/copyright"))
            .replace("\n ", " ")
            .lines()
            .filter(line -> line.startsWith("Files: "))
            .flatMap(line -> Stream.of(line.substring("Files: ".length()).split(" ")))
            .filter(name -> !name.equals("*"))
            .toList();
    try (var jars = Files.list(Packages.built("cli").resolve("lib"))) {
      assertThat(
              jars.map(jar -> jar.getFileName().toString().replaceAll("-\\d.*", ""))
                  .filter(jar -> !jar.startsWith("leasehold-")))
          .containsExactlyInAnyOrderElementsOf(named);
    }
  }

  @Test
  void theJarsOfAllLibrariesAreThere() throws IOException {
    try (var jars = Files.list(packages.out().resolve("jars"))) {
      assertThat(
              jars.map(
                  jar -> jar.getFileName().toString().replaceAll("-\\d[0-9.]*(-SNAPSHOT)?", "")))
          .containsExactlyInAnyOrderElementsOf(
              Packages.published().stream()
                  .map(Packages::artifact)
                  .flatMap(name -> Stream.of("", "-sources", "-javadoc").map(name::concat))
                  .map(name -> name + ".jar")
                  .toList());
    }
  }

  @Test
  void theLauncherBesideTheJarPreparesOnceForItsUser() throws IOException {
    Packages own = new Packages(Files.createDirectories(directory.resolve("user")));
    String launcher = own.out().resolve("leasehold").toString();
    assertThat(own.run(launcher, "--version")).startsWith("leasehold ").hasLineCount(1);
    Path cache = directory.resolve("user/cache/leasehold");
    List<String> prepared = files(cache);
    assertThat(prepared).anyMatch(f -> f.contains("/prepared+"));
    assertThat(own.run(launcher, "run", "x", "--", "echo", "ran")).isEqualTo("ran\n");
    assertThat(files(cache)).isEqualTo(prepared);

    own.with("XDG_CACHE_HOME", "/dev/null/none");
    assertThat(own.run(launcher, "run", "x", "--", "echo", "ran"))
        .as("where nothing can be kept")
        .isEqualTo("ran\n");
    String jar = own.out().resolve("leasehold.jar").toString();
    assertThat(own.run("java", "-jar", jar, "run", "x", "--", "echo", "ran")).isEqualTo("ran\n");
    assertThat(own.run(launcher, "--help")).doesNotContain("checkout");
    assertThat(Files.readString(Path.of(launcher))).doesNotContain("mvn", "checkout", "@BUILD@");
  }

  private static List<String> files(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      return files.map(Path::toString).sorted().toList();
    }
  }
}
