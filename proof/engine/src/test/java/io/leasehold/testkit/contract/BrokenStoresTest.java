package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.BrokenStore;
import io.leasehold.testkit.BrokenStores;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Each broken store fails by the tests of its own rule, and of no other. Of the other rules a store
 * runs every fourth test, a different quarter for each store in turn, so that some stores run every
 * test; {@code -Dleasehold.broken.whole=true} runs them all.
 */
class BrokenStoresTest {
  private static final boolean WHOLE = Boolean.getBoolean("leasehold.broken.whole");
  private static final int SAMPLE = 4;

  private static final int STORES_AT_ONCE = 6;
  private static final int TESTS_AT_ONCE = 5;
  private static final int RULES = 21;

  /**
   * What gives up, closes or loses the lease amid a run needs what other rules promise of that. So
   * does a crowd: without wake-ups each turn that goes to the other client waits for a poll, and
   * all of them together may outlast the patience.
   */
  private static final Set<String> NEED_MORE =
      Set.of(
          "R20_eachOfACrowdIsServedOnce",
          "R20_aNeighbourThatGaveUpIsSkipped",
          "R20_aProcessIsClosedAmidItsNeighbours",
          "R20_aBreakAmidNeighboursLeavesTheNextTheirPlaces");

  /**
   * How long a test of a broken store waits for what never comes; long enough for what does come on
   * a busy machine: thousands of waits that time out took more than 8 s.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  /** Held, or its level would be forgotten. */
  private static final Logger LOG = Logger.getLogger("io.leasehold");

  private final ExecutorService threads = Executors.newFixedThreadPool(STORES_AT_ONCE);

  @BeforeEach
  void silence() {
    LOG.setLevel(Level.OFF);
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    LOG.setLevel(null);
  }

  @Test
  void eachFailsByItsOwnRuleAlone() throws Exception {
    Map<String, Future<ScoreCard>> runs = new LinkedHashMap<>();
    for (BrokenStore store : BrokenStores.all()) {
      int quarter = runs.size() % SAMPLE;
      runs.put(store.name(), threads.submit(() -> run(store, quarter)));
    }
    Map<String, Set<Integer>> broken = new LinkedHashMap<>();
    Map<String, Set<Integer>> expected = new LinkedHashMap<>();
    List<String> lines = new ArrayList<>();
    for (BrokenStore store : BrokenStores.all()) {
      ScoreCard card = runs.get(store.name()).get();
      broken.put(store.name(), card.brokenRules());
      expected.put(store.name(), Set.of(store.rule()));
      lines.add(line(store, card));
    }
    String table = head() + String.join("", lines);
    System.out.println(table);
    assertThat(broken).as(table).isEqualTo(expected);
  }

  private static ScoreCard run(BrokenStore store, int quarter) throws InterruptedException {
    String own = String.format(Locale.ROOT, "R%02d_", store.rule());
    return ContractRun.on(store::fixture)
        .withTestsAtOnce(TESTS_AT_ONCE)
        .withPatience(PATIENCE)
        .only(
            test ->
                test.startsWith(own)
                    || (!NEED_MORE.contains(test)
                        && (WHOLE || Math.floorMod(test.hashCode(), SAMPLE) == quarter)))
        .run();
  }

  private static String head() {
    return String.format(Locale.ROOT, "%-28s", "broken store")
        + rules()
            .mapToObj(rule -> String.format(Locale.ROOT, "%3d", rule))
            .collect(Collectors.joining())
        + "\n";
  }

  /** A cross under each rule that it broke, and the tests that failed. */
  private static String line(BrokenStore store, ScoreCard card) {
    return String.format(Locale.ROOT, "%-28s", store.name())
        + rules()
            .mapToObj(rule -> card.brokenRules().contains(rule) ? "  X" : "  .")
            .collect(Collectors.joining())
        + card.ended(Outcome.FAILED).stream()
            .map(score -> store.rule() == score.rule() ? score.test() : score.toString())
            .collect(Collectors.joining(" ", "  ", "\n"));
  }

  private static IntStream rules() {
    return IntStream.rangeClosed(1, RULES);
  }
}
