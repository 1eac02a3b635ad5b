package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that is halted before or after any statement harms nobody. */
@Execution(ExecutionMode.CONCURRENT)
class FileStoreCrashTest {
  @TempDir(factory = InMemory.class)
  Path dir;

  /** Where the driver unpacks its library; what is in memory may not be executed everywhere. */
  @TempDir Path scratch;

  @ParameterizedTest
  @EnumSource
  void aCrashAnywhereLeavesAUsableStore(CrashScenario scenario) {
    int points = 0;
    for (int statement = 1; statement <= scenario.statements; statement++) {
      for (String moment : new String[] {"before", "after"}) {
        Path file = dir.resolve(statement + moment).resolve("locks.db");
        crash(scenario, file, statement, moment);
        // Every change is committed by its last statement.
        boolean happened = statement == scenario.statements && moment.equals("after");
        try (LeaseRowStore store = Fixture.open(file)) {
          scenario.check(store, happened);
        }
        points++;
      }
    }
    assertThat(points).isEqualTo(2 * scenario.statements);
    assertThat(count(scenario)).as("statements").isEqualTo(scenario.statements);
  }

  private void crash(CrashScenario scenario, Path file, int statement, String moment) {
    prepare(scenario, file);
    try (Child child =
        Child.start(
            scratch,
            CrashScenario.Halting.class,
            file.toString(),
            scenario.name(),
            Integer.toString(statement),
            moment)) {
      assertThat(child.end())
          .as("halted %s statement %s", moment, statement)
          .containsExactly("exit 7");
    }
  }

  private static void prepare(CrashScenario scenario, Path file) {
    if (scenario == CrashScenario.OPENING_A_NEW_FILE) {
      return;
    }
    try (LeaseRowStore store =
        Fixture.open(file, new ManualClock(), "earlier", StatementHook.NONE)) {
      scenario.prepareOnAnotherBoot(store);
    }
    try (LeaseRowStore store = Fixture.open(file, Duration.ofSeconds(3), StatementHook.NONE)) {
      scenario.prepareSecondsAgo(store);
    }
    try (LeaseRowStore store = Fixture.open(file)) {
      scenario.prepare(store);
    }
  }

  private int count(CrashScenario scenario) {
    Path file = dir.resolve("whole").resolve("locks.db");
    prepare(scenario, file);
    Probe probe = new Probe();
    try (LeaseRowStore store = Fixture.open(file, probe)) {
      if (scenario != CrashScenario.OPENING_A_NEW_FILE) {
        Fixture.release(store, Fixture.tryOnce("nothing"));
        probe.taken();
        scenario.act(store);
      }
      return probe.taken().size();
    }
  }
}
