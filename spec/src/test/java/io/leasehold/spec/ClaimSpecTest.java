package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;

/** The specification of a claim holds, is not empty, and each rule in it is needed. */
class ClaimSpecTest extends SpecRules {
  private static final List<String> ACTIONS =
      List.of("Ask", "AskAgain", "GiveUp", "Work", "Complete", "Crash", "Tick");

  ClaimSpecTest() {
    super(Model.CLAIM, "Broken variants of claims");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"ClaimFail, 30000", "ClaimRetry, 30000", "ClaimReconcile, 90000"})
  void holds(String name, long leastStates) throws Exception {
    Model model = Model.named(name);
    Tlc.Verdict verdict = explored(model, leastStates);

    assertThat(ACTIONS).allSatisfy(action -> assertThat(verdict.taken(action)).isPositive());
    // A claim that lives for one tick is never extended before it has lapsed
    assertThat(verdict.taken("Extend") > 0).isEqualTo(model.text().contains("Life = 2"));
    assertThat(verdict.taken("Reconcile") > 0).isEqualTo(name.equals("ClaimReconcile"));
  }

  @Override
  Stream<Arguments> cases() {
    return Stream.of(
        Arguments.of("NeverStale", "ClaimRetry"),
        Arguments.of("NeverUnknown", "ClaimFail"),
        Arguments.of("NeverTakenOver", "ClaimReconcile"),
        Arguments.of("NeverReplayed", "ClaimFail"),
        Arguments.of("NeverTwice", "ClaimRetry"));
  }
}
