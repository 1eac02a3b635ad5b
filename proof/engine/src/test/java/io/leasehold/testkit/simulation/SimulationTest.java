package io.leasehold.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The promises R1, R3 to R12, R14, R16, R17, R20 and R21, in thousands of simulated worlds.
 *
 * <p>{@code -Dleasehold.sim.seeds=N} runs N seeds, from {@code -Dleasehold.sim.from=S}; {@code
 * -Dleasehold.sim.seed=S} replays one and prints its trace.
 */
class SimulationTest {
  private static final long SEEDS = Long.getLong("leasehold.sim.seeds", 2_000);
  private static final long FROM = Long.getLong("leasehold.sim.from", 1);
  private static final Long ONE = Long.getLong("leasehold.sim.seed");
  private static final int LINES_SHOWN = 60;

  /** So many seeds see every situation. */
  private static final long ENOUGH_SEEDS = 5_000;

  private static final Logger LOG = Logger.getLogger("io.leasehold");

  @BeforeAll
  static void silenceTheEngine() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void letTheEngineSpeak() {
    LOG.setLevel(null);
  }

  @Test
  void everyPromiseHoldsWhateverHappens() {
    if (ONE != null) {
      replay(ONE);
    } else {
      everyPromiseHolds(FROM, SEEDS);
    }
  }

  private static void everyPromiseHolds(long from, long seeds) {
    Sometimes.Counts counts = new Sometimes.Counts();
    ConcurrentLinkedQueue<Simulation.Result> broken = new ConcurrentLinkedQueue<>();
    AtomicLong events = new AtomicLong();
    long begin = System.nanoTime();
    LongStream.range(from, from + seeds)
        .parallel()
        .forEach(
            seed -> {
              Simulation.Result result = Simulation.run(seed, false, counts);
              events.addAndGet(result.events());
              if (result.violation() != null) {
                broken.add(result);
              }
            });
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "simulation: %d seeds, %d events, %.1f s, %.0f seeds/s%n",
        seeds,
        events.get(),
        seconds,
        seeds / seconds);
    broken.stream()
        .min((a, b) -> Long.compare(a.events(), b.events()))
        .ifPresent(
            shortest ->
                report(shortest, broken.stream().map(Simulation.Result::seed).sorted().toList()));
    if (seeds >= ENOUGH_SEEDS) {
      Set<Sometimes> never = EnumSet.allOf(Sometimes.class);
      never.removeIf(what -> counts.of(what) > 0);
      assertThat(never)
          .as("situations that no seed has seen: the simulation proves nothing of them")
          .isEmpty();
    }
  }

  private static void report(Simulation.Result broken, List<Long> all) {
    Simulation.Result again = Simulation.run(broken.seed(), true, new Sometimes.Counts());
    List<String> lines = Arrays.asList(again.trace().split("\n"));
    List<String> shown =
        new ArrayList<>(lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
    shown.add(0, lines.get(0));
    fail(
        "These seeds break a promise: %s. The shortest is seed %d: %s%nreplay: mvn -q -pl proof/engine"
            + " -am test -Dtest=SimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
            + " -Dleasehold.sim.seed=%d%n%s",
        all,
        broken.seed(),
        broken.violation().getMessage(),
        broken.seed(),
        String.join("\n", shown));
  }

  private static void replay(long seed) {
    Simulation.Result result = Simulation.run(seed, true, new Sometimes.Counts());
    System.out.println(result.trace());
    if (result.violation() != null) {
      throw result.violation();
    }
  }

  /** Also in another class loader, where identity hash codes differ. */
  @Test
  void oneSeedRunTwiceGivesTheSameTraceToTheByte() {
    try (PatchedEngine other = PatchedEngine.unchanged()) {
      for (long seed = FROM; seed < FROM + 50; seed++) {
        String trace = Simulation.run(seed, true, new Sometimes.Counts()).trace();
        assertThat(Simulation.run(seed, true, new Sometimes.Counts()).trace()).isEqualTo(trace);
        assertThat(other.trace(seed)).isEqualTo(trace);
      }
    }
  }
}
