package io.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FetchTest {
  private record Result(int exitCode, String out, String err) {}

  private static final String NO_APT = "PATH=/var/empty";

  @TempDir private Path cache;

  private Process start(Path out, Path err, List<String> settings, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("env", "LEASEHOLD_SERVERS=" + cache));
    command.addAll(settings);
    command.add("/bin/bash"); // PATH may lack it
    command.add(Programs.checkout().resolve("fetch").toString());
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command)
        .redirectOutput(out.toFile())
        .redirectError(err.toFile())
        .start();
  }

  private Result run(List<String> settings, String... arguments)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("fetch", ".out");
    Path err = Files.createTempFile("fetch", ".err");
    try {
      int exitCode = start(out, err, settings, arguments).waitFor();
      if (exitCode == 69 && !settings.contains(NO_APT)) {
        throw Availability.missing(Files.readString(err));
      }
      return new Result(exitCode, Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  private List<Path> cached() throws IOException {
    try (Stream<Path> files = Files.list(cache)) {
      return files.filter(file -> !file.toString().endsWith(".lock")).toList();
    }
  }

  @Test
  void anUnknownNameIsWrongUsage() throws Exception {
    Result result = run(List.of(), "redis-7.0", "nonsense");
    assertThat(result.exitCode()).isEqualTo(64);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("no server 'nonsense'").hasLineCount(1);
    assertThat(run(List.of()).exitCode()).isEqualTo(64);
    assertThat(run(List.of(), "--help").out()).startsWith("Usage: ");
  }

  @Test
  void withoutAptItSaysWhatElseHelps() throws Exception {
    Result result = run(List.of(NO_APT), "valkey-8");
    assertThat(result.exitCode()).isEqualTo(69);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("valkey-8", "valkey-server into PATH").hasLineCount(1);
    assertThat(cached()).isEmpty();
  }

  @Test
  @Tag("slow")
  void fetchesIntoAnEmptyCacheOnceAlsoIfAskedTwice() throws Exception {
    List<String> alone = List.of("LEASEHOLD_SERVERS_PATH=ignore");
    String[] names =
        Stream.concat(
                Arrays.stream(RedisServer.Kind.values()).map(RedisServer.Kind::program),
                Arrays.stream(SqlServer.Kind.values()).map(SqlServer.Kind::program))
            .toArray(String[]::new);
    Path err = Files.createTempFile("fetch", ".err");
    Process other = start(Path.of("/dev/null"), err, alone, names);
    Result result = run(alone, names);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(other.waitFor()).isZero();
    for (String name : names) {
      assertThat(result.err() + Files.readString(err)).containsOnlyOnce("fetching " + name);
    }
    Files.delete(err);
    for (String program : result.out().split("\n", -1)) {
      assertThat(program.isEmpty() || Files.isExecutable(Path.of(program))).isTrue();
    }
    assertThat(result.out()).hasLineCount(names.length).contains(cache.toString());
    assertThat(cached()).hasSize(names.length);

    assertThat(run(alone, names).err()).as("nothing is fetched again").isEmpty();
  }

  @Test
  @Tag("slow")
  void oneThatWasKilledLeavesNothingHalf() throws Exception {
    List<String> alone = List.of("LEASEHOLD_SERVERS_PATH=ignore");
    Path log = Files.createTempFile("fetch", ".log");
    Process killed = start(log, log, alone, "valkey-8");
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofMinutes(2))
        .until(() -> !cached().isEmpty() && isUnpacking(cached().get(0)));
    killed.descendants().forEach(ProcessHandle::destroyForcibly);
    killed.destroyForcibly().waitFor();
    assertThat(run(alone, "--list").out()).containsPattern("valkey-8 +-");

    Result result = run(alone, "valkey-8");
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(cached()).hasSize(1);
    Files.delete(log);
  }

  private static boolean isUnpacking(Path temp) {
    return Files.exists(temp.resolve("root/usr"));
  }
}
