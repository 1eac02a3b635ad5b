package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on the pages do what the pages say. */
class PagesTest {
  /** In a crontab, a systemd unit or a shell; and in a manifest. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?m)^(?:(?:\\S+ ){4}\\S+  |ExecStart=)?(?:/opt/leasehold/)?leasehold ((?:run|lead) .*)$");

  private static final Pattern LISTED = Pattern.compile("command: \\[\"leasehold\", (.*)]");
  private static final Pattern WANTED = Pattern.compile("/usr/local/bin/(\\w+)");

  @TempDir Path directory;

  private static String page(String name) throws IOException {
    return Files.readString(Tool.root().resolve(name));
  }

  /** The words of each command on a page; the program that it runs is one of the test's. */
  private List<List<String>> commands(String page) throws IOException {
    String text = page(page);
    List<List<String>> commands = new ArrayList<>();
    COMMAND
        .matcher(text)
        .results()
        .forEach(found -> commands.add(List.of(found.group(1).split(" +", -1))));
    LISTED
        .matcher(text)
        .results()
        .forEach(
            found ->
                commands.add(
                    Arrays.stream(found.group(1).split(", ", -1))
                        .map(word -> word.replace("\"", ""))
                        .toList()));
    List<List<String>> here = new ArrayList<>();
    for (List<String> command : commands) {
      List<String> words = new ArrayList<>();
      for (String word : command) {
        Matcher wanted = WANTED.matcher(word);
        words.add(wanted.matches() ? program(wanted.group(1)) : word);
      }
      here.add(words);
    }
    return here;
  }

  private String program(String name) throws IOException {
    Path program = directory.resolve(name);
    Files.writeString(program, "#!/bin/sh\necho ran under ${LEASEHOLD_TOKEN:?}\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return program.toString();
  }

  private void allRun(Tool tool, List<List<String>> commands) {
    for (List<String> command : commands) {
      Running.Result result = tool.run(command.toArray(String[]::new));
      assertThat(result.code()).as("%s: %s", command, result.err()).isZero();
      assertThat(result.out()).as("%s", command).matches("ran under \\d+\n");
    }
  }

  @Test
  void theCommandsOfTheRecipesRun() throws IOException {
    List<List<String>> commands = commands("docs/recipes.md");
    assertThat(commands).hasSize(6);
    Path store = Files.writeString(directory.resolve("store"), "file:" + directory + "/other.db\n");
    allRun(
        new Tool(directory)
            .without("LEASEHOLD_STORE")
            .with("LEASEHOLD_STORE_FILE", store.toString()),
        commands);
  }

  @Test
  void theCommandsOfTheCommandsPageRun() throws IOException {
    List<List<String>> commands = commands("cli/README.md");
    assertThat(commands).hasSize(3);
    allRun(new Tool(directory), commands);
  }

  @Test
  void theJobOfAnHourRunsOnce() throws IOException {
    Matcher line =
        Pattern.compile("(?m)^15 \\* \\* \\* \\*  leasehold (once .*)$")
            .matcher(page("docs/recipes.md"));
    assertThat(line.find()).isTrue();
    String job = line.group(1).replace("\\%", "%").replace("/usr/local/bin/hourly", "./hourly");
    Path hourly = Path.of(program("hourly"));
    Files.writeString(hourly, "#!/bin/sh\necho ran >> hours\necho $LEASEHOLD_NAME\n");
    Path date = Path.of(program("date"));
    Files.writeString(date, "#!/bin/sh\n[ \"$*\" = '-u +%F-%H' ] && cat hour\n");
    Tool tool = new Tool(directory).with("PATH", directory + ":" + System.getenv("PATH"));
    for (String hour : List.of("2026-11-22-10", "2026-11-22-11")) {
      Files.writeString(directory.resolve("hour"), hour);
      for (String output : List.of("hourly-" + hour + "\n", "")) {
        Running.Result result =
            tool.startProcess(
                    Path.of("/dev/null"), List.of("sh", "-c", Tool.root() + "/leasehold " + job))
                .end();
        assertThat(result).isEqualTo(new Running.Result(0, output, ""));
      }
    }
    assertThat(Files.readAllLines(directory.resolve("hours"))).hasSize(2);
  }

  @Test
  void theCronJobSaysNothingWhileAnotherHostRunsIt() throws IOException {
    Tool tool = new Tool(directory);
    for (String page : List.of("docs/recipes.md", "cli/README.md")) {
      List<String> job =
          commands(page).stream().filter(c -> c.contains("--busy-exit")).findFirst().orElseThrow();
      assertThat(job).contains("--quiet", "hourly");
      try (Running other = tool.hold("hourly")) {
        assertThat(tool.run(job.toArray(String[]::new))).isEqualTo(new Running.Result(0, "", ""));
        other.signal("TERM");
        other.end();
      }
    }
  }

  @Test
  void theFirstPageShowsWhatTheCommandPrints() throws Exception {
    Matcher demo = Pattern.compile("(?s)```console\n(.*?)```").matcher(page("README.md"));
    assertThat(demo.find()).isTrue();
    String shown = demo.group(1);
    assertThat(shown.lines().filter(line -> line.startsWith("$ ")))
        .containsExactly(
            "$ ./leasehold run nightly -- sh -c 'echo running with token $LEASEHOLD_TOKEN; sleep 60' &",
            "$ ./leasehold who nightly",
            "$ ./leasehold run -n nightly -- echo never printed; echo \"exit code $?\"",
            "$ ./leasehold run nightly -- sh -c 'echo running with token $LEASEHOLD_TOKEN'");

    Tool tool = new Tool(directory);
    String first = "echo running with token $LEASEHOLD_TOKEN; exec sleep 600";
    String second = "echo running with token $LEASEHOLD_TOKEN";
    List<String> printed = new ArrayList<>();
    try (Running holder = tool.start("run", "nightly", "--", "sh", "-c", first)) {
      printed.add(Tool.awaitContent(holder.out()));
      printed.add(tool.run("who", "nightly").out());
      Running.Result busy = tool.run("run", "-n", "nightly", "--", "echo", "never printed");
      printed.add(busy.err() + busy.out() + "exit code " + busy.code());
      try (Running next = tool.start("run", "nightly", "--", "sh", "-c", second)) {
        next.awaitSaid("waiting for");
        holder.signal("TERM");
        holder.end();
        Running.Result last = next.end();
        printed.add(last.err() + last.out());
      }
    }
    assertThat(lines(String.join("\n", printed)))
        .isEqualTo(lines(shown.replaceAll("(?m)^\\$ .*$", "")));
  }

  /** Without what is different each time. */
  private static Stream<String> words(String line) {
    return Arrays.stream(
        line.strip()
            .replaceAll("\\d{4}-\\d\\d-\\d\\dT\\S+Z", "TIME")
            .replaceAll("[^ ']+/\\d+/main", "HOLDER")
            .replaceAll("\\b\\d{10,}\\b", "TOKEN")
            .replaceAll("\\b(?:[0-9.]+(?:ms|s|m|h))+\\b", "DURATION")
            .split(" +", -1));
  }

  private static List<List<String>> lines(String text) {
    return text.lines().filter(line -> !line.isBlank()).map(line -> words(line).toList()).toList();
  }
}
