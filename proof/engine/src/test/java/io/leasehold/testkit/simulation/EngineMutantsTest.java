package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Proof that the simulation bites: the engine with one bug each, which must be found. Every mutant
 * is a patch of the engine's source; if the source has changed so that the patch no longer fits,
 * this test says so, and the patch must follow.
 *
 * <p>The seed that caught a mutant is on record ({@link RecordedSeeds}) and is tried first. Where
 * it catches no longer, because the engine or the plan draws other numbers now, all seeds are
 * searched; {@code -Dleasehold.mutants.record=true} writes down what was found.
 */
class EngineMutantsTest {
  private static final long MOST_SEEDS = Long.getLong("leasehold.mutants.seeds", 15_000);
  private static final String ONLY = System.getProperty("leasehold.mutant", "");
  private static final boolean RECORD = Boolean.getBoolean("leasehold.mutants.record");

  private static final Logger LOG = Logger.getLogger("io.leasehold");

  private static final RecordedSeeds RECORDED = RecordedSeeds.read();
  private static final Map<String, Long> FOUND = Collections.synchronizedMap(new TreeMap<>());
  private static final Map<String, String> TABLE = Collections.synchronizedMap(new TreeMap<>());

  @BeforeAll
  static void silenceTheEngine() {
    LOG.setLevel(Level.OFF);
  }

  @Test
  void everyMutantIsCaught() {
    List<String> problems =
        Stream.of(EngineMutants.ALL, ModeMutants.ALL)
            .flatMap(List::stream)
            .toList()
            .parallelStream()
            .filter(m -> m.bug().contains(ONLY))
            .map(EngineMutantsTest::problem)
            .filter(problem -> !problem.isEmpty())
            .collect(Collectors.toList());
    if (RECORD) {
      RECORDED.write(FOUND);
    }
    assertThat(problems).as("mutants that nobody noticed, or that do not fit the source").isEmpty();
  }

  /** The harness itself changes nothing, and a recorded seed breaks nothing but the mutant. */
  @Test
  void theUnchangedEngineIsNotCaught() {
    try (PatchedEngine engine = PatchedEngine.unchanged()) {
      assertThat(engine.firstViolation(1, 200)).isEmpty();
      for (long seed : RECORDED.seeds()) {
        assertThat(engine.firstViolation(seed, 1)).isEmpty();
      }
      for (String probe :
          List.of(
              "interruptLeavesNothing",
              "interruptIsThrown",
              "uninterruptibleKeepsTheFlag",
              "whatCameDueIsPolledAtOnce",
              "callersHear")) {
        assertThat(engine.probe(probe)).as(probe).isEmpty();
      }
    }
  }

  private static String problem(Mutant mutant) {
    String caught;
    try {
      caught = caught(mutant);
    } catch (AssertionError e) {
      TABLE.put(mutant.bug(), "does not fit the source");
      return mutant.bug() + ": " + e.getMessage();
    }
    TABLE.put(mutant.bug(), caught.isEmpty() ? "SURVIVED" : caught);
    return caught.isEmpty() ? mutant.bug() + ": survived" : "";
  }

  /** By which check, at which seed; empty if by none. */
  private static String caught(Mutant mutant) {
    try (PatchedEngine engine = PatchedEngine.with(mutant.patches())) {
      if (!mutant.probe().isEmpty()) {
        return engine.probe(mutant.probe()).isEmpty() ? "" : mutant.probe();
      }
      List<String> violation =
          RECORDED
              .of(mutant.bug())
              .map(seed -> engine.firstViolation(seed, 1))
              .filter(found -> !found.isEmpty())
              .orElseGet(() -> engine.firstViolation(1, MOST_SEEDS));
      if (violation.isEmpty()) {
        return "";
      }
      FOUND.put(mutant.bug(), Long.valueOf(violation.get(1)));
      return String.format(Locale.ROOT, "%-18s seed %5s", violation.get(0), violation.get(1));
    }
  }

  @AfterAll
  static void printTheTable() {
    LOG.setLevel(null);
    TABLE.forEach(
        (bug, caught) -> System.out.printf(Locale.ROOT, "mutant %-58s %s%n", bug, caught));
    long moved =
        FOUND.entrySet().stream()
            .filter(found -> !RECORDED.of(found.getKey()).equals(Optional.of(found.getValue())))
            .count();
    if (moved > 0 && !RECORD) {
      System.out.printf(
          Locale.ROOT,
          "%d mutants were caught by other seeds than those on record, after a search;"
              + " -Dleasehold.mutants.record=true records the new ones%n",
          moved);
    }
  }
}
