package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The promises to callers with threads, in hundreds of simulated worlds.
 *
 * <p>{@code -Dleasehold.sim.threaded.seeds=N} runs N seeds; {@code -Dleasehold.sim.threaded=S}
 * replays one and prints its trace.
 */
class ThreadedSimulationTest {
  private static final long SEEDS = Long.getLong("leasehold.sim.threaded.seeds", 500);
  private static final Long ONE = Long.getLong("leasehold.sim.threaded");

  /** So many seeds see every situation. */
  private static final long ENOUGH_SEEDS = 400;

  private static final long MANY_SEEDS = 5_000;

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

  @Test
  void everyPromiseHoldsWhateverHappens() {
    if (ONE != null) {
      ThreadedSeeds.of(ThreadedPlan::of, "all trouble").replay(ONE);
    } else {
      everyPromiseHolds(SEEDS);
    }
  }

  @Test
  @Tag("slow")
  void everyPromiseHoldsInThousandsOfWorlds() {
    everyPromiseHolds(MANY_SEEDS);
  }

  private static void everyPromiseHolds(long seeds) {
    Set<Situation> never =
        ThreadedSeeds.of(ThreadedPlan::of, "all trouble").run(1, seeds).notSeen();
    if (seeds >= ENOUGH_SEEDS) {
      assertThat(never)
          .as("situations that no seed has seen: the simulation proves nothing of them")
          .isEmpty();
    }
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
