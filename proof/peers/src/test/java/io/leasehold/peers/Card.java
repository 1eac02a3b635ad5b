package io.leasehold.peers;

import io.leasehold.testkit.contract.ScoreCard;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.ScoreCard.Score;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The scores of all peers as a page. */
final class Card {
  /** What writes the page. */
  static final String COMMAND =
      "mvn -Pslow -pl proof/peers -am test -Dtest=PeersCardTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dleasehold.peers=write";

  private static final int RULES = 21;

  private static final String INTRODUCTION =
      """
      # Other libraries under the same contract

      This page runs the contract that every Leasehold store must pass on other lock libraries, through thin adapters (`proof/peers`). Each
      library is used as its documentation recommends. This command writes the page:

          COMMAND

      - **kept**: all tests of the rule that the library's API allows pass.
      - **broken**: some of these tests fail. The library has the feature that the test uses, and behaves differently from Leasehold's rule.
        None of the libraries promises Leasehold's rules. The sections below list what was observed.
      - **not claimed**: the API lacks what the tests need, the documentation excludes it, or the test bench cannot cause the situation in
        that library (the loss of a single request).

      The numbers count the tests that the API allows. They say little about how much a rule matters.

      In most libraries a lock belongs to a thread. So each lease on the bench has its own thread that acquires and releases it; no library
      is tested for a release by another thread.
      """;

  private Card() {}

  /** The page. */
  static String page(Map<Peer, ScoreCard> cards) {
    return INTRODUCTION.replace("COMMAND", COMMAND)
        + "\n"
        + table(cards)
        + cards.keySet().stream().map(Card::notes).collect(Collectors.joining());
  }

  /** Rule by rule. */
  static String table(Map<Peer, ScoreCard> cards) {
    return row("rule", cards.keySet().stream().map(Peer::title).toList())
        + row("---", cards.keySet().stream().map(peer -> "---").toList())
        + IntStream.rangeClosed(1, RULES)
            .mapToObj(rule -> row("R" + rule, cells(rule, cards)))
            .collect(Collectors.joining());
  }

  private static String row(String head, List<String> cells) {
    return "| " + head + " | " + String.join(" | ", cells) + " |\n";
  }

  private static List<String> cells(int rule, Map<Peer, ScoreCard> cards) {
    return cards.entrySet().stream()
        .map(entry -> cell(entry.getKey(), rule, entry.getValue()))
        .toList();
  }

  private static String cell(Peer peer, int rule, ScoreCard card) {
    List<Score> scores =
        card.scores().stream()
            .filter(score -> score.rule() == rule && peer.isCounted(score.test()))
            .toList();
    long kept = scores.stream().filter(score -> score.outcome() == Outcome.PASSED).count();
    long broken = scores.stream().filter(score -> score.outcome() == Outcome.FAILED).count();
    if (broken > 0) {
      return "**broken** " + broken + " of " + (kept + broken);
    }
    return kept > 0 ? "kept " + kept : "not claimed";
  }

  /** What stands below the table of one peer, whatever the run says. */
  static String notes(Peer peer) {
    StringBuilder notes =
        new StringBuilder("\n## " + peer.title() + "\n\nUsed: " + peer.settings() + ".\n\n");
    peer.observed()
        .forEach(
            (test, seen) -> notes.append("- `").append(test).append("`: ").append(seen + "\n"));
    if (!peer.uncounted().isEmpty()) {
      notes.append("\nNot counted, because the result depends on timing: `");
      notes.append(String.join("`, `", peer.uncounted())).append("`.\n");
    }
    return notes.toString();
  }
}
