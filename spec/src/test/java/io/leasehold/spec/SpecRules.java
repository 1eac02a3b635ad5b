package io.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is tested of every specification: each rule in it is needed, and its cases come up. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class SpecRules {
  private static final Pattern BROKEN =
      Pattern.compile("ASSUME Broken \\\\in \\{(.*?)}", Pattern.DOTALL);

  private final Path spec;
  private final String table;

  /**
   * Of a specification.
   *
   * @param table the heading of the table of its broken variants
   */
  SpecRules(Path spec, String table) {
    this.spec = spec;
    this.table = table;
  }

  /** Invariants that the case they deny violates, each with a model in which it comes up. */
  abstract Stream<Arguments> cases();

  /** What TLC says of a model that it explored whole and found right. */
  static Tlc.Verdict explored(Model model, long leastStates) throws Exception {
    Tlc.Verdict verdict = Tlc.explore(model);
    assertThat(verdict.exit()).as(verdict.output()).isZero();
    assertThat(verdict.output()).contains("Model checking completed. No error has been found.");
    assertThat(verdict.distinctStates()).isGreaterThanOrEqualTo(leastStates);
    return verdict;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("variants")
  void brokenRuleIsFound(String variant, String model, String promise) throws Exception {
    requireViolated(promise, Model.named(model).broken(variant));
  }

  /** What would make a promise mean nothing: that the case it speaks of never comes up. */
  @ParameterizedTest(name = "{0} in {1}")
  @MethodSource("cases")
  void caseComesUp(String never, String model) throws Exception {
    requireViolated(never, Model.named(model).claiming(never));
  }

  private static void requireViolated(String promise, Model model) throws Exception {
    Tlc.Verdict verdict = Tlc.search(model);
    assertThat(verdict.violated()).as(verdict.output()).contains(promise);
  }

  @Test
  void everyVariantIsInTheTable() {
    Matcher list = BROKEN.matcher(Model.read(spec));
    assertThat(list.find()).isTrue();
    List<String> inTheSpec =
        Pattern.compile("\"([^\"]+)\"")
            .matcher(list.group(1))
            .results()
            .map(m -> m.group(1))
            .toList();

    assertThat(Table.under(table))
        .extracting(row -> row.get(0))
        .containsExactlyElementsOf(inTheSpec.subList(1, inTheSpec.size()));
  }

  Stream<Arguments> variants() {
    return Table.under(table).stream().map(row -> Arguments.of(row.get(0), row.get(1), row.get(2)));
  }
}
