package io.leasehold.benchmarks.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.benchmarks.failover.Trial.Outcome;
import io.leasehold.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One failover at each step: what is lost, who learns it, and what the token stops. */
@Timeout(600)
class FailoverTest {
  /** On a slow machine the second client must ask before the first renews. */
  private static final Duration TTL = Duration.ofSeconds(15);

  /** Of Redisson mostly what does not wait for its timeouts. */
  private static final List<Row> ROWS =
      Row.all().stream()
          .filter(
              row ->
                  row.library().isOurs()
                      || row.step() == Step.ANSWERED
                      || (row.library() == FailoverLibrary.MASTER_SLAVE && row.step() == Step.DONE))
          .toList();

  private static final Outcome HELD_BY_THE_FIRST = new Outcome(true, false, false, false, false);
  private static final Outcome TOLD_AND_STOPPED = new Outcome(true, true, true, true, true);

  @BeforeAll
  static void failOver() throws Exception {
    new Failovers(RedisServer.Kind.REDIS_7_0, 4, TTL, round -> {}).run(ROWS, 1);
  }

  private static Outcome at(FailoverLibrary library, Step step) {
    List<Outcome> outcomes =
        ROWS.stream()
            .filter(row -> row.library() == library && row.step() == step)
            .findFirst()
            .orElseThrow()
            .outcomes();
    assertThat(outcomes).hasSize(1);
    return outcomes.get(0);
  }

  @ParameterizedTest
  @EnumSource(
      value = FailoverLibrary.class,
      names = {"LEASEHOLD", "REPLICAS"})
  void whatTheNewPrimaryHasIsNotGrantedAgain(FailoverLibrary library) {
    assertThat(at(library, Step.REPLICATED)).isEqualTo(HELD_BY_THE_FIRST);
    assertThat(at(library, Step.COMPLETE)).isEqualTo(HELD_BY_THE_FIRST);
  }

  @ParameterizedTest
  @EnumSource(
      value = FailoverLibrary.class,
      names = {"LEASEHOLD", "REPLICAS"})
  void whatWasNotAnsweredHasOneHolder(FailoverLibrary library) {
    for (Step step : List.of(Step.SENT, Step.DONE)) {
      Outcome outcome = at(library, step);
      assertThat(outcome.first()).as("%s", step).isNotEqualTo(outcome.second());
      assertThat(outcome.overlap()).as("%s", step).isFalse();
    }
  }

  @Test
  void whatNoReplicaHasIsGrantedAgainUnlessTheGrantWaitsForOne() {
    assertThat(at(FailoverLibrary.LEASEHOLD, Step.ANSWERED)).isEqualTo(TOLD_AND_STOPPED);
    assertThat(at(FailoverLibrary.REPLICAS, Step.ANSWERED).overlap()).isFalse();
  }

  @Test
  void whatAnotherReplicaHasIsGrantedAgainEvenSo() {
    assertThat(at(FailoverLibrary.LEASEHOLD, Step.ELSEWHERE)).isEqualTo(TOLD_AND_STOPPED);
    assertThat(at(FailoverLibrary.REPLICAS, Step.ELSEWHERE)).isEqualTo(TOLD_AND_STOPPED);
  }

  /** Redisson keeps the last token in a key, which is lost with the lock: both get the same. */
  @Test
  void aTokenThatIsCountedIsLostWithTheLock() {
    assertThat(at(FailoverLibrary.REDISSON, Step.ANSWERED).overlap()).isTrue();
    Outcome fenced = at(FailoverLibrary.FENCED, Step.ANSWERED);
    assertThat(fenced.overlap()).isTrue();
    assertThat(fenced.stopped()).isFalse();
  }

  @Test
  void everyPromiseIsKept() {
    assertThat(ROWS).allSatisfy(row -> assertThat(row.misses()).isEmpty());
  }

  @Test
  void aBrokenPromiseIsAMiss() {
    Outcome untold = new Outcome(true, true, true, false, true);
    assertThat(new Row(FailoverLibrary.LEASEHOLD, Step.ANSWERED, List.of(untold)).misses())
        .containsExactly("Leasehold, 2. answered, no replica has it: told");
    Outcome accepted = new Outcome(true, true, true, true, false);
    assertThat(new Row(FailoverLibrary.LEASEHOLD, Step.COMPLETE, List.of(accepted)).misses())
        .containsExactly(
            "Leasehold, 5. answered, both replicas have it: overlaps",
            "Leasehold, 5. answered, both replicas have it: stopped");
    assertThat(new Row(FailoverLibrary.REPLICAS, Step.ANSWERED, List.of(TOLD_AND_STOPPED)).misses())
        .hasSize(1);
    assertThat(new Row(FailoverLibrary.REDISSON, Step.COMPLETE, List.of(untold)).misses())
        .isEmpty();
  }

  @Test
  void theTableHasALineForEachRow() {
    assertThat(ROWS).hasSize(16);
    assertThat(Row.table(ROWS).lines())
        .hasSize(2 + FailoverLibrary.values().length + ROWS.size())
        .allMatch(line -> line.matches("(\\|[^|]+){6}\\|"))
        .contains("| 2. answered, no replica has it | 1 | 1 | 1 | – | – |");
  }

  @Test
  void wrongUsageIsTold() {
    assertThat(FailoverBench.exitCode("--repeat", "often")).isEqualTo(64);
  }
}
