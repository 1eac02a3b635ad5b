package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The specification holds, is not empty, and each rule in it is needed. */
class LeaseSpecTest {
  private static final List<String> ALWAYS =
      List.of("Begin", "AskAgain", "Expire", "Release", "Withdraw", "Tick");
  private static final Map<String, String> IF_IT_CAN =
      Map.of(
          "renew", "Renew",
          "handOver", "HandOver",
          "giveUp", "GiveUp",
          "crash", "Crash",
          "break", "Break");

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
    Tlc.Verdict verdict = Tlc.explore(model);

    assertThat(verdict.exit()).as(verdict.output()).isZero();
    assertThat(verdict.output()).contains("Model checking completed. No error has been found.");
    assertThat(verdict.distinctStates()).isGreaterThanOrEqualTo(leastStates);
    assertThat(ALWAYS).allSatisfy(action -> assertThat(verdict.taken(action)).isPositive());
    IF_IT_CAN.forEach(
        (can, action) ->
            assertThat(verdict.taken(action) > 0).as(action).isEqualTo(model.can(can)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("variants")
  void brokenRuleIsFound(String variant, String model, String promise) throws Exception {
    Tlc.Verdict verdict = Tlc.search(Model.named(model).broken(variant));

    assertThat(verdict.violated()).as(verdict.output()).contains(promise);
  }

  /** What would make a promise mean nothing: that the case it speaks of never comes up. */
  @ParameterizedTest(name = "{0} in {1}")
  @CsvSource({
    "NeverAnsweredAgain, Network",
    "NeverTakenAfterExpiry, Network",
    "NeverGrantedAfterGivingUp, Ghost",
    "NeverHandedOver, HandOver",
    "NeverRefused, HandOver"
  })
  void caseComesUp(String never, String model) throws Exception {
    Tlc.Verdict verdict = Tlc.search(Model.named(model).claiming(never));

    assertThat(verdict.violated()).as(verdict.output()).contains(never);
  }

  @Test
  void everyVariantIsInTheTable() {
    Matcher list =
        Pattern.compile("ASSUME Broken \\\\in \\{(.*?)}", Pattern.DOTALL)
            .matcher(Model.read(Model.SPEC));
    assertThat(list.find()).isTrue();
    List<String> inTheSpec =
        Pattern.compile("\"([^\"]+)\"")
            .matcher(list.group(1))
            .results()
            .map(m -> m.group(1))
            .toList();

    assertThat(Table.under("Broken variants"))
        .extracting(row -> row.get(0))
        .containsExactlyElementsOf(inTheSpec.subList(1, inTheSpec.size()));
  }

  static Stream<Arguments> variants() {
    return Table.under("Broken variants").stream()
        .map(row -> Arguments.of(row.get(0), row.get(1), row.get(2)));
  }
}
