package io.leasehold.testkit.contract;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * How a {@link ContractRun} went, test by test.
 *
 * @param scores ordered by rule and name
 */
public record ScoreCard(List<Score> scores) {
  /** How a test ended. */
  public enum Outcome {
    /** The promise was kept. */
    PASSED,
    /** It was broken. */
    FAILED,
    /** It is not made: the test was aborted, and the detail says why. */
    NOT_CLAIMED
  }

  /**
   * How one test ended.
   *
   * @param rule the number of the promise
   * @param test the name of the test
   * @param promise what is promised, in a sentence
   * @param outcome how it ended
   * @param detail why it failed or was aborted; empty if it passed
   * @param took how long it ran
   */
  public record Score(
      int rule, String test, String promise, Outcome outcome, String detail, Duration took) {}

  /** Sorts the scores. */
  public ScoreCard {
    scores =
        scores.stream()
            .sorted(Comparator.comparingInt(Score::rule).thenComparing(Score::test))
            .toList();
  }

  /** The tests that ended so. */
  public List<Score> ended(Outcome outcome) {
    return scores.stream().filter(score -> score.outcome == outcome).toList();
  }

  /** The rules of which a test failed. */
  public Set<Integer> brokenRules() {
    return ended(Outcome.FAILED).stream()
        .map(Score::rule)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** One line a test, for people and for a table in Markdown. */
  public String table() {
    StringBuilder table = new StringBuilder("| outcome | promise | why |\n|---|---|---|\n");
    for (Score score : scores) {
      String why = score.detail.lines().findFirst().orElse("").replace("|", "\\|");
      table.append("| ").append(score.outcome).append(" | ").append(score.promise);
      table.append(" | ").append(why).append(" |\n");
    }
    return table.toString();
  }
}
