package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The specification of a claim holds, is not empty, and each rule in it is needed. */
class ClaimSpecTest {
  private static final List<String> ACTIONS =
      List.of("Ask", "AskAgain", "GiveUp", "Work", "Complete", "Crash", "Tick");

  @ParameterizedTest(name = "{0}")
  @CsvSource({"ClaimFail, 30000", "ClaimRetry, 30000", "ClaimReconcile, 90000"})
  void holds(String name, long leastStates) throws Exception {
    Model model = Model.named(name);
    Tlc.Verdict verdict = Tlc.explore(model);

    assertThat(verdict.exit()).as(verdict.output()).isZero();
    assertThat(verdict.output()).contains("Model checking completed. No error has been found.");
    assertThat(verdict.distinctStates()).isGreaterThanOrEqualTo(leastStates);
    assertThat(ACTIONS).allSatisfy(action -> assertThat(verdict.taken(action)).isPositive());
    // A claim that lives for one tick is never extended before it has lapsed
    assertThat(verdict.taken("Extend") > 0).isEqualTo(model.text().contains("Life = 2"));
    assertThat(verdict.taken("Reconcile") > 0).isEqualTo(name.equals("ClaimReconcile"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("variants")
  void brokenRuleIsFound(String variant, String model, String promise) throws Exception {
    Tlc.Verdict verdict = Tlc.search(Model.named(model).broken(variant));

    assertThat(verdict.violated()).as(verdict.output()).contains(promise);
  }

  @ParameterizedTest(name = "{0} in {1}")
  @CsvSource({
    "NeverStale, ClaimRetry",
    "NeverUnknown, ClaimFail",
    "NeverTakenOver, ClaimReconcile",
    "NeverReplayed, ClaimFail",
    "NeverTwice, ClaimRetry"
  })
  void caseComesUp(String never, String model) throws Exception {
    Tlc.Verdict verdict = Tlc.search(Model.named(model).claiming(never));

    assertThat(verdict.violated()).as(verdict.output()).contains(never);
  }

  @Test
  void everyVariantIsInTheTable() {
    Matcher list =
        Pattern.compile("ASSUME Broken \\\\in \\{(.*?)}", Pattern.DOTALL)
            .matcher(Model.read(Model.CLAIM));
    assertThat(list.find()).isTrue();
    List<String> inTheSpec =
        Pattern.compile("\"([^\"]+)\"")
            .matcher(list.group(1))
            .results()
            .map(m -> m.group(1))
            .toList();

    assertThat(Table.under("Broken variants of claims"))
        .extracting(row -> row.get(0))
        .containsExactlyElementsOf(inTheSpec.subList(1, inTheSpec.size()));
  }

  static Stream<Arguments> variants() {
    return Table.under("Broken variants of claims").stream()
        .map(row -> Arguments.of(row.get(0), row.get(1), row.get(2)));
  }
}
