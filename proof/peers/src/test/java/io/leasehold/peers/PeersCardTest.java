package io.leasehold.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasehold.testkit.contract.ContractRun;
import io.leasehold.testkit.contract.ScoreCard;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.ScoreCard.Score;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole contract on every peer: minutes, since what hangs has to be waited for. */
@Tag("slow")
class PeersCardTest {
  @Test
  @DisplayName("docs/peers.md is what a run of the whole contract says")
  void thePageIsWhatARunSays() throws Exception {
    for (Peer peer : Peer.values()) {
      Optional<String> missing = peer.missing();
      assumeTrue(missing.isEmpty(), missing.orElse(""));
    }
    Map<Peer, ScoreCard> cards = new TreeMap<>();
    for (Peer peer : Peer.values()) {
      cards.put(peer, run(peer));
    }
    System.out.println(Card.table(cards));
    for (Peer peer : Peer.values()) {
      assertThat(failed(peer, cards.get(peer)))
          .as("tests that %s fails, each with what was observed\n%s", peer, cards.get(peer).table())
          .isEqualTo(peer.observed().keySet());
    }
    String page = Card.page(cards);
    if (System.getProperty("leasehold.peers", "").equals("write")) {
      Files.writeString(PeersTest.page(), page);
    }
    assertThat(PeersTest.page()).as("write it by: %s", Card.COMMAND).hasContent(page);
  }

  private static ScoreCard run(Peer peer) throws InterruptedException {
    return ContractRun.on(peer.fixture())
        .withPatience(Duration.ofSeconds(15))
        .withTestsAtOnce(3)
        .run();
  }

  private static Set<String> failed(Peer peer, ScoreCard card) {
    return card.ended(Outcome.FAILED).stream()
        .map(Score::test)
        .filter(peer::isCounted)
        .collect(Collectors.toSet());
  }
}
