package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** That callers can be simulated with their threads. */
class ThreadedSimulationTest {
  private static EngineLog log;

  @BeforeAll
  static void hearTheEngine() {
    log = new EngineLog();
  }

  @AfterAll
  static void letTheEngineSpeak() {
    log.close();
  }

  @Test
  void inGoodWeatherEveryPromiseHolds() {
    ThreadedSeeds.of(ThreadedPlan::calm, "calm").run(1, 50);
  }

  /** Though each caller and each thread of a pool is a real one. */
  @Test
  void oneSeedRunTwiceGivesTheSameTraceToTheByte() {
    Set<Situation> seen = EnumSet.noneOf(Situation.class);
    for (long seed = 1; seed <= 20; seed++) {
      String trace = ThreadedSimulation.run(seed, ThreadedPlan::of, true, seen).trace();
      assertThat(ThreadedSimulation.run(seed, ThreadedPlan::of, true, seen).trace())
          .isEqualTo(trace);
    }
  }
}
