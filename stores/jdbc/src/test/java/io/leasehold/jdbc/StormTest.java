package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Four processes of sixteen threads each on twenty names, with the server's own defaults: no two
 * hold, tokens rise, and the server knows of no deadlock.
 */
class StormTest extends ServerTest {
  private static final int PROCESSES = 4;
  private static final int ENOUGH_USES = 200;

  @TempDir Path dir;

  /** What a process did while it held. */
  private record Use(String name, long token, boolean shared, long begin, long end, boolean held) {
    static Use of(String line) {
      String[] w = line.split(" ", -1);
      return new Use(
          w[1],
          Long.parseLong(w[2]),
          w[3].equals("shared"),
          Long.parseLong(w[4]),
          Long.parseLong(w[5]),
          Boolean.parseBoolean(w[6]));
    }
  }

  /** Of the two servers with InnoDB one is enough here; the slow tests have both. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL_15", "MARIADB_10_11"})
  void r1r4NoTwoHoldersAndNoDeadlock(Kind kind) throws IOException {
    storm(SharedServers.of(kind), "", Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL_15", "MARIADB_10_11"})
  void r1r4NoTwoHoldersAndNoDeadlockOfSessions(Kind kind) throws IOException {
    storm(SharedServers.of(kind), "&mode=session", Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("slow")
  void r1r4NoTwoHoldersAndNoDeadlockForLonger(Kind kind) throws IOException {
    storm(SharedServers.of(kind), "", Duration.ofSeconds(20));
    storm(SharedServers.of(kind), "&mode=session", Duration.ofSeconds(20));
  }

  private void storm(SqlServer server, String mode, Duration time) throws IOException {
    String url = server.jdbcUrl() + mode;
    if (server.kind() == Kind.MARIADB_10_11) {
      execute(server, "SET GLOBAL innodb_monitor_enable = 'lock_deadlocks'");
    }
    clientAt(url, how -> how);
    long before = deadlocks(server);
    List<Child> processes = new ArrayList<>();
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      Path file = dir.resolve("uses" + i);
      files.add(file);
      Child child = closed(Child.start(dir, ServerStorm.class, own(url), file.toString()));
      String line = child.line();
      while (!line.equals("ready")) {
        line = child.line();
      }
      processes.add(child);
    }
    // All have connected: that is not what is tested, and takes long beside a storm
    processes.forEach(child -> child.say("begin"));
    pass(time);
    await().atMost(PATIENCE).until(() -> uses(files).size() > ENOUGH_USES);
    processes.forEach(child -> child.say("end"));
    processes.forEach(child -> assertThat(child.end()).contains("done", "exit 0"));
    assertThat(lines(files)).noneMatch(line -> line.startsWith("wrong"));
    judge(uses(files).stream().map(Use::of).toList());
    assertThat(deadlocks(server) - before).as("deadlocks").isZero();
  }

  private static List<String> lines(List<Path> files) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : files) {
      lines.addAll(Files.readAllLines(file));
    }
    return lines;
  }

  private static List<String> uses(List<Path> files) throws IOException {
    return lines(files).stream().filter(line -> line.startsWith("use ")).toList();
  }

  private static void judge(List<Use> uses) {
    assertThat(uses).allMatch(Use::held);
    Map<String, List<Use>> byName = uses.stream().collect(Collectors.groupingBy(Use::name));
    byName.values().forEach(StormTest::judgeName);
  }

  private static void judgeName(List<Use> uses) {
    List<Use> inOrder =
        uses.stream().sorted(Comparator.comparingLong(Use::begin)).collect(Collectors.toList());
    for (int i = 1; i < inOrder.size(); i++) {
      Use next = inOrder.get(i);
      for (Use before : inOrder.subList(Math.max(0, i - 100), i)) {
        if (!next.shared() || !before.shared()) {
          assertThat(before.end()).as("%s and %s", before, next).isLessThanOrEqualTo(next.begin());
          assertThat(before.token()).as("%s and %s", before, next).isLessThan(next.token());
        }
      }
    }
  }

  private static long deadlocks(SqlServer server) {
    if (!isMysql(server)) {
      execute(server, "SELECT pg_stat_force_next_flush()");
    }
    String sql =
        isMysql(server)
            ? "SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'"
            : "SELECT deadlocks FROM pg_stat_database WHERE datname = '" + server.database() + "'";
    return Long.parseLong(ask(server, sql).get(0));
  }
}
