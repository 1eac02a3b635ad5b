package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The engine over the recipe of the stores that have sessions, over many seeds. */
class SessionSimulationTest {
  private static final long SEEDS = Long.getLong("leasehold.sessions.seeds", 400);

  /** Each of them has found a bug when it ran mildly. */
  private static final long[] FOUND = {382, 1352, 3647, 17_986};

  /** Held, or its level would be forgotten. */
  private static final Logger LOG = Logger.getLogger("io.leasehold");

  @BeforeAll
  static void silenceTheEngine() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void letItTalk() {
    LOG.setLevel(null);
  }

  @Test
  void noTwoHoldItTokensRiseAllAreServedAndNothingIsLeft() {
    List<SessionSimulation.Result> results =
        Stream.concat(
                LongStream.range(0, SEEDS).parallel().mapToObj(SessionSimulation::run),
                LongStream.of(FOUND).parallel().mapToObj(SessionSimulation::runMildly))
            .toList();

    assertThat(results).filteredOn(result -> !result.violation().isEmpty()).isEmpty();
    assertThat(results.stream().mapToLong(SessionSimulation.Result::grants).sum())
        .isGreaterThan(20 * SEEDS);
  }

  @Test
  void theSameSeedIsTheSameRun() {
    assertThat(SessionSimulation.run(7)).isEqualTo(SessionSimulation.run(7));
  }
}
