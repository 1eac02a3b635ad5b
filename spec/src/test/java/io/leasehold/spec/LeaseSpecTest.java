package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;

/** The specification holds, is not empty, and each rule in it is needed. */
class LeaseSpecTest extends SpecRules {
  private static final List<String> ALWAYS =
      List.of("Begin", "AskAgain", "Expire", "Release", "Withdraw", "Tick");
  private static final Map<String, String> IF_IT_CAN =
      Map.of(
          "renew", "Renew",
          "handOver", "HandOver",
          "giveUp", "GiveUp",
          "crash", "Crash",
          "break", "Break");

  LeaseSpecTest() {
    super(Model.SPEC, "Broken variants");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "Network, 20000",
    "Ghost, 20000",
    "HandOver, 5000",
    "Clocks, 10000",
    "Waiting, 2000",
    "Limbo, 500"
  })
  void holds(String name, long leastStates) throws Exception {
    Model model = Model.named(name);
    Tlc.Verdict verdict = explored(model, leastStates);

    assertThat(ALWAYS).allSatisfy(action -> assertThat(verdict.taken(action)).isPositive());
    IF_IT_CAN.forEach(
        (can, action) ->
            assertThat(verdict.taken(action) > 0).as(action).isEqualTo(model.can(can)));
  }

  @Override
  Stream<Arguments> cases() {
    return Stream.of(
        Arguments.of("NeverAnsweredAgain", "Network"),
        Arguments.of("NeverTakenAfterExpiry", "Network"),
        Arguments.of("NeverGrantedAfterGivingUp", "Ghost"),
        Arguments.of("NeverHandedOver", "HandOver"),
        Arguments.of("NeverRefused", "HandOver"));
  }
}
