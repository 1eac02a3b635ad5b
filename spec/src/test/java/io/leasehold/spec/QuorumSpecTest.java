package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

/** The specification of a quorum's token holds, is not empty, and each rule in it is needed. */
class QuorumSpecTest extends SpecRules {
  private static final List<String> ACTIONS =
      List.of("Ask", "Grant", "GrantUnasked", "Choose", "Raise", "Count", "End", "GiveUp");

  QuorumSpecTest() {
    super(Model.QUORUM, "Broken variants of quorums");
  }

  @Test
  void holds() throws Exception {
    Tlc.Verdict verdict = explored(Model.named("Quorum"), 10_000);

    assertThat(ACTIONS).allSatisfy(action -> assertThat(verdict.taken(action)).isPositive());
    assertThat(verdict.taken("Forget")).isZero();
  }

  @Override
  Stream<Arguments> cases() {
    return Stream.of(
        Arguments.of("NeverDiffer", "Quorum"),
        Arguments.of("NeverRaised", "Quorum"),
        Arguments.of("NeverSecond", "Quorum"));
  }
}
