package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.LockSnapshot;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to the command when its lease is in danger or gone. */
class LossTest {
  /**
   * Writes the process ids of a command, a grandchild, and one that left the session; all of them
   * ignore TERM.
   */
  private static final String FAMILY =
      """
      trap '' TERM
      bash -c 'trap "" TERM; echo $$ >> pids; exec sleep 600' &
      (setsid bash -c 'trap "" TERM; echo $$ >> pids; exec sleep 600' > /dev/null 2>&1 &)
      (setsid sh -c '(exec env -u NOTHING sleep 600) & echo $! >> pids' > /dev/null 2>&1 &)
      echo $$ >> pids
      until [ "$(grep -c . pids)" = 4 ]; do read -rt 0.02 <> <(:); done
      echo > ready
      while :; do read -rt 1 <> <(:); done
      """;

  private static final Duration WITHIN = Duration.ofSeconds(5);

  @TempDir Path directory;
  private Tool tool;

  @BeforeEach
  void tool() {
    tool = new Tool(directory);
  }

  @AfterEach
  void nothingIsLeft() {
    if (Files.exists(directory.resolve("pids"))) {
      family().filter(Tool::runs).forEach(pid -> Tool.signal("KILL", pid));
    }
  }

  @Test
  void aStoreThatFallsSilentMeansTermInTimeAndKillBeforeTheEnd() throws Exception {
    String polite =
        "trap 'date +%s%N > term; exit 0' TERM; echo > ready; while :; do read -rt 0.02 <> <(:); done";
    try (Running running = tool.start("run", "--ttl", "9s", "x", "--", "bash", "-c", polite)) {
      Tool.awaitContent(directory.resolve("ready"));
      try (Connection silence = silence()) {
        assertThat(silence.isClosed()).isFalse();
        Tool.awaitContent(directory.resolve("term"));
      }
      Running.Result result = running.end();
      assertThat(result.code()).isEqualTo(76);
      assertThat(result.err())
          .contains("leasehold: the lease of 'x' cannot be renewed", "asked the command to end")
          .doesNotContain("killed");
    }
  }

  @Test
  void aCommandThatIgnoresTermIsKilledBeforeTheStoreLetsTheLeaseExpire() throws Exception {
    try (Running running = tool.start("run", "--ttl", "10s", "x", "--", "bash", "-c", FAMILY);
        LockStore store = openStore()) {
      Tool.awaitContent(directory.resolve("ready"));
      try (Connection silence = silence()) {
        assertThat(silence.isClosed()).isFalse();
        await()
            .atMost(Tool.PATIENCE)
            .pollInterval(Duration.ofMillis(5))
            .until(
                () -> {
                  boolean expired = held(store, "x").isEmpty();
                  boolean ended = family().noneMatch(Tool::runs);
                  assertThat(expired && !ended)
                      .as("another could hold it while it still ran")
                      .isFalse();
                  return ended;
                });
      }
      assertThat(running.end().code()).isEqualTo(76);
      assertThat(Tool.read(running.err()))
          .contains("asked the command to end", "killed the command");
      assertThat(tool.run("run", "--wait", "5s", "x", "--", "true").code()).isZero();
    }
  }

  @Test
  void anOperatorsBreakKillsAtTheNextRenewal() {
    String family = "echo $LEASEHOLD_TOKEN > token\n" + FAMILY;
    try (Running running = tool.start("run", "--ttl", "6s", "x", "--", "bash", "-c", family)) {
      Tool.awaitContent(directory.resolve("ready"));
      String token = Tool.awaitContent(directory.resolve("token"));

      assertThat(tool.run("break", "x", "--token", token).code()).isZero();

      assertThat(running.end().code()).isEqualTo(76);
      assertThat(family().noneMatch(Tool::runs)).isTrue();
      assertThat(Tool.read(running.err()))
          .contains("lost 'x': the store no longer has its lease")
          .contains("killed the command");
    }
  }

  @Test
  void aPausedToolKillsFirstWhenItWakes() {
    try (Running paused = tool.start("run", "--ttl", "3s", "x", "--", "bash", "-c", FAMILY)) {
      Tool.awaitContent(directory.resolve("ready"));
      paused.signal("STOP");
      try (Running next = tool.hold("x")) {
        assertThat(family().allMatch(Tool::runs)).as("the paused tool could not end it").isTrue();
        paused.signal("CONT");

        assertThat(paused.end().code()).isEqualTo(76);
        assertThat(family().noneMatch(Tool::runs)).isTrue();
        assertThat(Tool.read(paused.err())).contains("lost 'x'", "killed the command");
        assertThat(next.process().isAlive()).isTrue();
      }
    }
  }

  @Test
  void aStoppedCommandIsContinuedToEndAndKilledIfItDoesNot() {
    String stopped = "echo $$ >> pids; kill -STOP $$; while :; do read -rt 1 <> <(:); done";
    try (Running polite = heldForNineSeconds("x", "trap 'echo > term; exit 0' TERM; " + stopped);
        Running stubborn = heldForNineSeconds("y", "trap 'kill -STOP $$' TERM; " + stopped)) {
      assertThat(polite.end().code()).isEqualTo(76);
      assertThat(directory.resolve("term")).exists();

      assertThat(stubborn.end().code()).isEqualTo(76);
      assertThat(family().noneMatch(Tool::runs)).isTrue();
    }
  }

  @Test
  void theLongestHoldAsksAThirdOfATtlBeforeAndKillsAtItsEnd() {
    try (Running running =
        tool.start(
            "run",
            "--ttl",
            "9s",
            "--max-hold",
            "10s",
            "x",
            "--",
            "bash",
            "-c",
            "trap 'echo > term' TERM; echo > ready; while :; do read -rt 0.02 <> <(:); done")) {
      Tool.awaitContent(directory.resolve("ready"));
      try (Running next =
          tool.start("run", "x", "--", "sh", "-c", "echo > next; exit 0").awaitSaid("waiting")) {
        Tool.awaitContent(directory.resolve("term"));
        assertThat(running.process().isAlive()).isTrue();
        assertThat(directory.resolve("next")).doesNotExist();

        Running.Result result = running.end();
        assertThat(result.code()).isEqualTo(76);
        assertThat(result.err())
            .contains(
                "longest life of 10s: asked the command to end",
                "longest life of 10s: killed the command");
        assertThat(next.end().code()).as("released at once, not at the end of the ttl").isZero();
      }
    }
  }

  @Test
  void aCommandThatEndsWhenAskedIsStillReportedAsLost() {
    String polite = "trap 'exit 0' TERM; while :; do read -rt 0.02 <> <(:); done";
    try (Running running = heldForNineSeconds("x", polite)) {
      assertThat(running.end().code()).isEqualTo(76);
      assertThat(Tool.read(running.err())).doesNotContain("killed");
    }
  }

  @Test
  void whenTheToolIsKilledTheCommandDiesWithinASecondAndTheLockComesFree() {
    try (Running running =
        tool.start(
            "run",
            "--ttl",
            "2s",
            "x",
            "--",
            "sh",
            "-c",
            "echo $$ > pids; echo > ready; exec sleep 600")) {
      Tool.awaitContent(directory.resolve("ready"));
      running.signal("KILL");

      await().atMost(Tool.PATIENCE).until(() -> family().noneMatch(Tool::runs));
      assertThat(running.end().code()).isEqualTo(137);
      assertThat(tool.run("run", "--wait", "4s", "x", "--", "true").code()).isZero();
    }
  }

  /** The command would be asked to end after six seconds, three after the first renewal. */
  @Test
  void aLeaseThatIsKeptIsLeftAlone() {
    Running.Result result =
        tool.run("run", "--ttl", "9s", "x", "--", "sh", "-c", "sleep 10; exit 3");

    assertThat(result.code()).as(result.err()).isEqualTo(3);
    assertThat(result.err()).isEmpty();
  }

  /** It is asked to end after six seconds. */
  private Running heldForNineSeconds(String name, String command) {
    return tool.start("run", "--ttl", "9s", "--max-hold", "9s", name, "--", "bash", "-c", command);
  }

  private LongStream family() {
    return Tool.read(directory.resolve("pids")).lines().mapToLong(Long::parseLong);
  }

  /** Takes the only write lock of the file, so that no renewal succeeds, until it is closed. */
  private Connection silence() throws Exception {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + tool.store());
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 10000");
      statement.execute("BEGIN IMMEDIATE");
    }
    return connection;
  }

  private static List<LockSnapshot.Holder> held(LockStore store, String name) throws Exception {
    return store
        .operator()
        .orElseThrow()
        .list(Optional.of(name), WITHIN)
        .toCompletableFuture()
        .get()
        .stream()
        .flatMap(lock -> lock.holders().stream())
        .toList();
  }

  private LockStore openStore() {
    StoreUrl url = StoreUrl.parse("file:" + tool.store());
    return ServiceLoader.load(StoreProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.schemes().contains("file"))
        .findFirst()
        .orElseThrow()
        .factory(url)
        .open(new Deaf());
  }

  private static final class Deaf implements StoreListener {
    @Override
    public void wake(LeaseId id) {}

    @Override
    public void reconnected() {}

    @Override
    public void lost(Collection<LeaseId> ids) {}
  }
}
