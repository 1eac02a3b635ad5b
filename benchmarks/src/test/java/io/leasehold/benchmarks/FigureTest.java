package io.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FigureTest {
  @Test
  void samplesStandAsTheyWereMeasured() {
    Figure figure = Figure.of("rate", "/s", List.of(300.0, 100.0, 200.0));
    assertThat(figure.samples()).containsExactly(300.0, 100.0, 200.0);
    assertThat(figure.value()).isEqualTo(200);
    assertThat(figure.range()).isEqualTo("100 .. 300");
  }

  @Test
  void withoutSamplesThereIsNoNumber() {
    Figure figure = Figure.of("rate", "/s", List.of());
    assertThat(figure.value()).isNaN();
    assertThat(figure.least()).isNaN();
    assertThat(figure.range()).isEmpty();
  }
}
