package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A quorum with tokens, whose members fail in every way, over many seeds. */
class QuorumSimulationTest {
  private static final long SEEDS = Long.getLong("leasehold.quorum.seeds", 400);

  @Test
  void tokensRiseThereIsOneHolderAndNothingIsLeft() {
    List<QuorumSimulation.Result> results =
        LongStream.range(0, SEEDS).mapToObj(QuorumSimulation::run).toList();

    assertThat(results).allSatisfy(result -> assertThat(result.violation()).isEmpty());
    assertThat(results.stream().mapToLong(QuorumSimulation.Result::grants).sum())
        .isGreaterThan(5 * SEEDS);
  }

  @Test
  void theSameSeedIsTheSameRun() {
    assertThat(QuorumSimulation.run(7)).isEqualTo(QuorumSimulation.run(7));
  }
}
