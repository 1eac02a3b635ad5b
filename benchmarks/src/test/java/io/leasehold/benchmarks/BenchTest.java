package io.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** The scenarios run, for an instant and inside this virtual machine: how fast is not asked. */
@Timeout(300)
class BenchTest {
  private static final TimeValue INSTANT = TimeValue.milliseconds(20);

  @Test
  void coreMeasuresEveryFigure() throws Exception {
    Options shortest = shortest().param("leases", "200").param("waiters", "100").build();
    List<Figure> figures = new Core(new Bench(shortest), 1).figures();
    assertThat(figures).hasSize(20).allSatisfy(figure -> assertThat(figure.value()).isFinite());
    assertThat(figures).filteredOn(figure -> figure.unit().equals("us")).hasSize(4);
    assertThat(value(figures, "32 threads on one name, withLock")).isPositive();
    assertThat(value(figures, "32 threads on a fair ReentrantLock")).isPositive();
    assertThat(value(figures, "200 held leases, renewals a period")).isPositive();
    assertThat(value(figures, "200 held leases, engine's CPU a period")).isPositive();
    assertThat(value(figures, "100 callers that wait and give up, allocated")).isPositive();
  }

  private static ChainedOptionsBuilder shortest() {
    return new OptionsBuilder()
        .forks(0)
        .warmupIterations(1)
        .warmupTime(INSTANT)
        .measurementIterations(1)
        .measurementTime(INSTANT);
  }

  @Test
  void springMeasuresEveryFigure() throws Exception {
    List<Figure> figures = new Spring(new Bench(shortest().build())).figures();
    assertThat(figures).hasSize(12).allSatisfy(figure -> assertThat(figure.value()).isFinite());
    assertThat(figures).filteredOn(Figure::hasTarget).hasSize(7);
  }

  @Test
  void objectsAreCountedByClass() throws Exception {
    List<Figure> figures = new Allocations(1_000, 1_000).figures();
    assertThat(value(figures, "io.leasehold.spi.Ticket")).isGreaterThanOrEqualTo(40);
    assertThat(value(figures, "all of them"))
        .isGreaterThan(value(figures, "io.leasehold.spi.Ticket"));
  }

  private static double value(List<Figure> figures, String what) {
    return figures.stream()
        .filter(figure -> figure.what().equals(what))
        .findFirst()
        .orElseThrow()
        .value();
  }

  @Test
  void aFigureIsJudgedByItsMedian() {
    Figure figure = Figure.of("a", "us", List.of(9.0, 1.0, 0.5));
    assertThat(figure.atMost(1).line()).contains("1 us").contains("0.50 .. 9").endsWith("PASS");
    assertThat(figure.atMost(0.99).line()).endsWith("<= 0.99  MISS");
    assertThat(figure.atLeast(1).isMissed()).isFalse();
    assertThat(figure.atLeast(1.01).isMissed()).isTrue();
    assertThat(figure.line()).endsWith("0.50 .. 9");
    assertThat(Figure.of("a", "us", List.of(Double.NaN)).atMost(1).isMissed()).isTrue();
  }
}
