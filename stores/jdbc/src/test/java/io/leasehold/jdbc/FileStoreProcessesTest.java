package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.attempt;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.jdbc.Hammer.Grant;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several processes on one file: they exclude each other, and one that is killed or stopped does
 * not take the others along.
 */
class FileStoreProcessesTest {
  @TempDir Path dir;

  @Test
  void r1r4KilledAtRandomMomentsTheyLeaveNumbersThatRiseAndLeasesThatDoNotOverlap()
      throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Path file = dir.resolve("locks.db");
    int kills = 12;
    List<Child> alive = new ArrayList<>();
    try {
      for (int kill = 0; kill < kills; kill++) {
        while (alive.size() < 3) {
          Child child = hammer(file, "grants" + kill + alive.size());
          assertThat(child.line()).isEqualTo("ready");
          alive.add(child);
        }
        Grant.awaitMore(dir, 20 * (kill + 1));
        long end = System.nanoTime() + random.nextInt(100_000_000);
        await().until(() -> System.nanoTime() - end > 0);
        Child victim = alive.remove(random.nextInt(alive.size()));
        victim.signal("KILL");
        assertThat(victim.end()).last().isEqualTo("exit 137");
      }
    } finally {
      alive.forEach(Child::close);
    }
    List<Grant> grants = Grant.readAll(dir, Duration.ofMillis(300));
    check(grants, seed);
    try (LeaseRowStore store = Fixture.open(file)) {
      for (String name : List.of("a", "b", "c")) {
        long highest =
            grants.stream()
                .filter(g -> g.name().equals(name))
                .mapToLong(Grant::number)
                .max()
                .orElseThrow();
        Ticket next = tryOnce(name);
        // What the last of them held comes free by its ttl.
        await()
            .atMost(Duration.ofSeconds(5))
            .until(() -> attempt(store, next).toString().startsWith("Granted"));
        assertThat(granted(store, next).number()).isGreaterThan(highest);
      }
    }
  }

  private Child hammer(Path file, String out) {
    return Child.start(
        dir, Hammer.class, file.toString(), dir.resolve(out).toString(), "300", "EXCLUSIVE");
  }

  private static void check(List<Grant> all, long seed) {
    Map<String, List<Grant>> byName = new HashMap<>();
    all.forEach(g -> byName.computeIfAbsent(g.name(), n -> new ArrayList<>()).add(g));
    byName.forEach(
        (name, grants) -> {
          Set<Long> numbers = new HashSet<>();
          grants.forEach(
              g -> assertThat(numbers.add(g.number())).as("%s twice, seed %s", g, seed).isTrue());
          grants.sort(Comparator.comparingLong(Grant::number));
          for (int i = 1; i < grants.size(); i++) {
            Grant earlier = grants.get(i - 1);
            Grant later = grants.get(i);
            assertThat(later.granted())
                .as("%s then %s, seed %s", earlier, later, seed)
                .isGreaterThan(earlier.end());
          }
        });
  }

  @Test
  void manyThatOpenANewFileAtOnceAllGetTheSame() {
    for (int round = 0; round < 3; round++) {
      Path file = dir.resolve("round" + round).resolve("deep").resolve("locks.db");
      List<Child> children = new ArrayList<>();
      try {
        for (int i = 0; i < 4; i++) {
          children.add(Child.start(dir, Puppet.class));
          assertThat(children.get(i).ask("wall")).isNotEmpty();
        }
        children.forEach(child -> child.say("open " + file));
        children.forEach(child -> assertThat(child.line()).isEqualTo("opened"));
        children.forEach(child -> child.say("try a " + children.indexOf(child) + " 600000"));
        List<String> answers = children.stream().map(Child::line).sorted().toList();
        assertThat(answers).containsExactly("busy", "busy", "busy", "granted 1");
      } finally {
        children.forEach(Child::close);
      }
    }
  }

  @Test
  void aFileThatAnotherIsJustMakingIsNotTakenForAForeignOne() throws InterruptedException {
    Path file = dir.resolve("locks.db");
    Thread other = new Thread(() -> Fixture.open(file).close());
    Probe probe = new Probe();
    probe.afterNext(
        "PRAGMA application_id",
        () -> {
          other.start();
          joinFor(other, Duration.ofSeconds(1));
        });
    try (LeaseRowStore store = Fixture.open(file, probe)) {
      other.join();
      assertThat(granted(store, tryOnce("a")).number()).isEqualTo(1);
    }
  }

  /** First with nothing to roll back, then twice with a transaction begun. */
  @Test
  void aNewFileThatIsLockedWhileItIsOpenedIsOpenedOnceItIsFree() throws SQLException {
    Path file = dir.resolve("locks.db");
    try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = other.createStatement()) {
      Probe probe = new Probe();
      probe.beforeNext(
          "PRAGMA journal_mode",
          () -> {
            execute(statement, "BEGIN EXCLUSIVE");
            onNext(probe, "BEGIN", 3, () -> execute(statement, "COMMIT"));
          });
      try (LeaseRowStore store = Fixture.open(file, probe)) {
        assertThat(probe.taken()).containsSubsequence("ROLLBACK", "BEGIN", "ROLLBACK", "BEGIN");
        assertThat(granted(store, tryOnce("a")).number()).isEqualTo(1);
      }
    }
  }

  private static void onNext(Probe probe, String start, int times, Runnable action) {
    probe.beforeNext(start, times == 1 ? action : () -> onNext(probe, start, times - 1, action));
  }

  private static void execute(Statement statement, String sql) {
    try {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static void joinFor(Thread thread, Duration time) {
    try {
      thread.join(time.toMillis());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void r12AProcessThatIsStoppedWhileItWritesMakesOthersFailInTimeAndGoOnAfterwards() {
    Path file = dir.resolve("locks.db");
    try (Child child = Child.start(dir, Puppet.class);
        LeaseRowStore store = Fixture.open(file)) {
      Ticket held = tryOnce("held");
      granted(store, held);
      assertThat(child.ask("open " + file)).isEqualTo("opened");
      assertThat(child.ask("pause")).isEqualTo("ok");
      child.say("try a 1 600000");
      assertThat(child.line()).isEqualTo("inside");
      child.signal("STOP");
      Duration within = Duration.ofMillis(300);
      long begin = System.nanoTime();
      assertThatThrownBy(() -> Fixture.get(store.attempt(tryOnce("a"), within)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("another client, of this process or of one that may be stopped")
          .extracting(e -> ((StoreException) e).failure())
          .isEqualTo(Failure.BUSY);
      store.renew(
          List.of(held),
          within,
          (id, answer) -> assertThat(answer).isInstanceOf(Renewal.Unknown.class));
      assertThat(Fixture.list(store)).as("reading goes on").hasSize(1);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .isBetween(Duration.ofMillis(600), Duration.ofSeconds(10));
      child.signal("CONT");
      assertThat(child.ask("")).isEqualTo("granted 1");
      assertThat(Fixture.renew(store, held)).isInstanceOf(Renewal.Renewed.class);
      assertThat(attempt(store, tryOnce("a")).toString()).startsWith("Busy");
    }
  }

  @Test
  void r18AnInterruptWhileTheFileIsLockedIsKeptAndTheVerbEndsInTime() {
    Path file = dir.resolve("locks.db");
    try (Child child = Child.start(dir, Puppet.class);
        LeaseRowStore store = Fixture.open(file)) {
      granted(store, tryOnce("other"));
      assertThat(child.ask("open " + file)).isEqualTo("opened");
      assertThat(child.ask("pause")).isEqualTo("ok");
      child.say("try a 1 600000");
      assertThat(child.line()).isEqualTo("inside");
      Thread.currentThread().interrupt();
      long begin = System.nanoTime();
      assertThatThrownBy(() -> Fixture.get(store.attempt(tryOnce("a"), Duration.ofMillis(200))))
          .isInstanceOf(StoreException.class);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
      assertThat(child.ask("")).isEqualTo("granted 1");
    }
  }

  @Test
  void anotherThreadOfThisProcessThatIsStuckMakesOthersFailInTime() throws Exception {
    Path file = dir.resolve("locks.db");
    Probe probe = new Probe();
    try (LeaseRowStore store = Fixture.open(file, probe)) {
      granted(store, tryOnce("other"));
      var inside = new java.util.concurrent.CountDownLatch(1);
      var goOn = new java.util.concurrent.CountDownLatch(1);
      probe.afterNext(
          "BEGIN IMMEDIATE",
          () -> {
            inside.countDown();
            assertThat(goOn).satisfies(latch -> latch.await());
          });
      Thread stuck = new Thread(() -> granted(store, tryOnce("a")));
      stuck.start();
      inside.await();
      assertThatThrownBy(() -> Fixture.get(store.attempt(tryOnce("b"), Duration.ofMillis(50))))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("other requests of this client")
          .extracting(e -> ((StoreException) e).failure())
          .isEqualTo(Failure.BUSY);
      goOn.countDown();
      stuck.join();
      granted(store, tryOnce("b"));
    }
  }
}
