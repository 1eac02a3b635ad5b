package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * docs/guarantees.md says what the contract tests: it is made of the rules and of the names of
 * their tests.
 */
class GuaranteesPageTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "guarantees.md");

  @Test
  void thePageIsThatOfTheContract() throws IOException {
    String made = page();
    if (Boolean.getBoolean("leasehold.docs.write")) {
      Files.writeString(PAGE, made);
    }
    assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
        .as(
            "docs/guarantees.md is out of date; make it anew: mvn -pl proof/engine -am test"
                + " -Dtest=GuaranteesPageTest -Dleasehold.docs.write=true"
                + " -Dsurefire.failIfNoSpecifiedTests=false")
        .isEqualTo(made);
  }

  @Test
  void everyRuleHasATest() {
    for (Rule rule : Rule.values()) {
      assertThat(testsOf(rule)).as("tests of %s", rule).isNotEmpty();
    }
  }

  @Test
  void everyTestBelongsToARule() {
    long ofRules = Arrays.stream(Rule.values()).mapToLong(rule -> testsOf(rule).size()).sum();
    assertThat(tests()).hasSize((int) ofRules);
  }

  private static String page() {
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Guarantees

        Leasehold makes the following promises on every store. Each section states a promise, what it means in practice, and the
        tests that prove it. The build of every store runs all of these tests, with two clients. A store declares what it cannot do,
        and its page lists that. For each rule that a store can break, the build also runs deliberately broken stores, which fail
        the tests of that rule and pass the others (`BrokenStoresTest`); mutants of the engine cover the rules that the engine alone
        decides (`EngineMutantsTest`).

        R1, R4 and R17 rest on two assumptions that no client can enforce: the store keeps what it has acknowledged, and clocks run
        at the same rate within 1 %. See also [what no lock can do](../README.md#what-no-lock-can-do).
        """);
    for (Rule rule : Rule.values()) {
      page.append("\n## R").append(rule.number()).append(". ").append(rule.title());
      page.append("\n\n").append(rule.promise());
      page.append("\n\n*").append(rule.meaning().replace("*", "\\*")).append("*\n\n");
      page.append("| proven | by the test |\n|---|---|\n");
      for (Method test : testsOf(rule)) {
        page.append("| ").append(sentence(test)).append(" | `");
        page.append(test.getDeclaringClass().getSimpleName()).append('.').append(test.getName());
        page.append("` |\n");
      }
    }
    return page.toString();
  }

  private static String sentence(Method test) {
    String name = test.getAnnotation(DisplayName.class).value();
    return name.substring(name.indexOf(' ') + 1).replace("|", "\\|");
  }

  private static List<Method> testsOf(Rule rule) {
    return tests().stream().filter(test -> test.getName().startsWith(rule.name() + "_")).toList();
  }

  private static List<Method> tests() {
    return Arrays.stream(StoreContract.class.getMethods())
        .filter(method -> method.isAnnotationPresent(ContractTest.class))
        .sorted(Comparator.comparing(Method::getName))
        .toList();
  }
}
