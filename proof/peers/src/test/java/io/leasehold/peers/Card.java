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
      # Other libraries on the same bench

      The contract that every store of ours is held to, asked of other lock libraries through thin
      adapters (`proof/peers`). Each is used as its documentation says. This page is written by

          COMMAND

      - **kept**: all tests of the rule that the library's API allows pass.
      - **broken**: so many of these tests fail. The library has what the test uses and behaves
        otherwise than our rule; none of them promised our rules. What was observed stands below.
      - **not claimed**: the API does not have what the tests ask for, the documentation excludes it,
        or the bench cannot cause it there (a single lost request).

      A number counts tests, of those the API allows; it says little about how much a rule matters.

      The locks of most libraries belong to a thread. So each lease of the bench has a thread of its
      own that takes it and lets it go; that another thread may let it go is asked of nobody.
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
      notes.append("\nNot counted, since they end now so, now so, by the moment: `");
      notes.append(String.join("`, `", peer.uncounted())).append("`.\n");
    }
    return notes.toString();
  }
}
