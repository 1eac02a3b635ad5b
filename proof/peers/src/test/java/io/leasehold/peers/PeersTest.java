package io.leasehold.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasehold.testkit.contract.ContractRun;
import io.leasehold.testkit.contract.ScoreCard;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.ScoreCard.Score;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What does not depend on the machine: the adapters work, clear-cut results stand, and the page
 * speaks of these versions. The rest of the contract takes minutes: {@link PeersCardTest}.
 */
class PeersTest {
  private static final String TWO_NAMES = "R08_aReleaseFreesOneName";

  /** Every peer locks, excludes, and lets go. */
  private static final Set<String> SMOKE =
      Set.of("R01_onlyOneClientHolds", TWO_NAMES, "R08_releaseIsIdempotent");

  /** Broken whatever the load, and quickly. */
  private static final Map<Peer, Set<String>> CLEAR_CUT =
      Map.of(
          Peer.REDISSON,
              Set.of("R18_whatIsNotInterruptibleKeepsTheFlag", "R19_reentryCostsNoRequest"),
          Peer.REDISSON_FENCED, Set.of("R19_reentryCostsNoRequest"),
          Peer.CURATOR, Set.of("R19_aReadInsideAWriteCostsNoRequest"),
          Peer.SPRING_JDBC, Set.of("R13_hostileNamesDoNotCollide"),
          Peer.SPRING_REDIS, Set.of("R13_hostileNamesDoNotCollide"),
          Peer.SHEDLOCK, Set.of("R07_releasingWhatWasLostSaysSo"));

  /** Its two names share one of the 256 local locks of Spring's registry by chance. */
  private static Set<String> smoke(Peer peer) {
    return peer == Peer.SPRING_JDBC
        ? SMOKE.stream()
            .filter(test -> !test.equals(TWO_NAMES))
            .collect(Collectors.toUnmodifiableSet())
        : SMOKE;
  }

  static Path page() {
    return Path.of(System.getProperty("leasehold.root"), "docs", "peers.md");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("the adapter of each peer works, and clear-cut results stand")
  void theAdapterWorks(Peer peer) throws InterruptedException {
    Optional<String> missing = peer.missing();
    missing.ifPresent(System.out::println);
    assumeTrue(missing.isEmpty(), missing.orElse(""));
    Set<String> broken = CLEAR_CUT.getOrDefault(peer, Set.of());
    Set<String> smoke = smoke(peer);
    ScoreCard card =
        ContractRun.on(peer.fixture())
            .only(test -> smoke.contains(test) || broken.contains(test))
            .run();
    assertThat(card.ended(Outcome.PASSED))
        .as("tests that pass\n%s", card.table())
        .extracting(Score::test)
        .containsExactlyInAnyOrderElementsOf(smoke);
    assertThat(card.ended(Outcome.FAILED))
        .as("tests that fail\n%s", card.table())
        .extracting(Score::test)
        .containsExactlyInAnyOrderElementsOf(broken);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("docs/peers.md speaks of this version, with all that was observed")
  void thePageSpeaksOfThisVersion(Peer peer) throws IOException {
    assertThat(Files.readString(page()))
        .as("write it by: %s", Card.COMMAND)
        .contains(Card.COMMAND)
        .contains(Card.notes(peer));
  }
}
