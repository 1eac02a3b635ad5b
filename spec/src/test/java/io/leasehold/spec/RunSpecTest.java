package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ValueSource;

/** The specification of runs holds, is not empty, and each rule in it is needed. */
class RunSpecTest extends SpecRules {
  private static final List<String> ACTIONS =
      List.of(
          "Enter",
          "ArriveEntry",
          "Grant",
          "HearGrant",
          "HandOn",
          "Release",
          "ArriveRelease",
          "GiveUp",
          "ArriveWithdrawal",
          "End",
          "Crash",
          "Lapse");

  RunSpecTest() {
    super(Model.RUN, "Broken variants of runs");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Run", "RunOfThree"})
  void holds(String model) throws Exception {
    Tlc.Verdict verdict = explored(Model.named(model), 25_000);

    assertThat(ACTIONS).allSatisfy(action -> assertThat(verdict.taken(action)).isPositive());
  }

  @Override
  Stream<Arguments> cases() {
    return Stream.of(
        Arguments.of("NeverTwoServed", "RunOfThree"),
        Arguments.of("NeverSkipped", "RunOfThree"),
        Arguments.of("NeverServedAndGranted", "Run"),
        Arguments.of("NeverLateEntry", "Run"),
        Arguments.of("NeverOtherBehindRun", "Run"));
  }
}
