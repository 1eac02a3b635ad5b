package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that is halted before or after any statement harms no other process. */
class FileStoreCrashTest {
  @TempDir(factory = InMemory.class)
  Path dir;

  /** Where the driver unpacks its library; what is in memory may not be executed everywhere. */
  @TempDir Path scratch;

  @ParameterizedTest
  @EnumSource
  void aCrashAnywhereLeavesAUsableStore(CrashScenario scenario) {
    Path file = dir.resolve("locks.db");
    ManualClock clock = new ManualClock();
    Snapshots snapshots = Snapshots.of(file);
    scenario.happen(file, clock, snapshots);
    List<Path> copies = snapshots.taken();
    assertThat(copies).as("points").hasSize(2 * scenario.statements);
    for (int i = 0; i < copies.size(); i++) {
      // Every change is committed by its last statement.
      check(scenario, clock, copies.get(i), i == copies.size() - 1, i + 1);
    }
  }

  private static void check(
      CrashScenario scenario, ManualClock clock, Path file, boolean happened, int point) {
    clock.advance(Duration.ofMillis(1));
    assertThatCode(
            () -> {
              try (LeaseRowStore store = CrashScenario.open(file, clock, StatementHook.NONE)) {
                scenario.check(store, happened);
              }
            })
        .as("halted %s statement %s", point % 2 == 1 ? "before" : "after", (point + 1) / 2)
        .doesNotThrowAnyException();
  }

  /** Before its COMMIT, when it has the write lock, and after it, when the change is in the log. */
  @ParameterizedTest
  @ValueSource(ints = {11, 12})
  void aHaltedProcessLeavesWhatTheCopyHas(int point) throws IOException {
    CrashScenario scenario = CrashScenario.SHARED_ATTEMPT_OF_A_WAITER;
    Path file = dir.resolve("locks.db");
    try (Child child =
        Child.start(
            scratch,
            CrashScenario.Halting.class,
            file.toString(),
            scenario.name(),
            Integer.toString(point))) {
      assertThat(child.end()).containsExactly("exit " + Snapshots.STATUS);
    }
    List<Path> copied = Snapshots.files(Snapshots.copy(file, point));
    assertThat(copied)
        .extracting(copy -> copy.getFileName().toString())
        .containsExactly("locks.db", "locks.db-shm", "locks.db-wal");
    assertThat(Snapshots.files(file)).hasSameSizeAs(copied);
    for (Path copy : copied) {
      assertThat(file.resolveSibling(copy.getFileName())).hasSameBinaryContentAs(copy);
    }
    ManualClock clock = new ManualClock();
    clock.advance(CrashScenario.EARLIER);
    check(scenario, clock, file, point == 2 * scenario.statements, point);
  }
}
