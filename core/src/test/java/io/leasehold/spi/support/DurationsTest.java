package io.leasehold.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "10s, PT10S",
    "5m, PT5M",
    "2h, PT2H",
    "1d, PT24H",
    "1.5s, PT1.5S",
    "0.25m, PT15S",
    "1m30s, PT1M30S",
    "1d2h3m4s5ms, PT26H3M4.005S",
    "0, PT0S",
    "0s, PT0S",
    "PT10S, PT10S",
    "pt1m, PT1M",
    "P1D, PT24H",
  })
  void areReadAsPeopleWriteThem(String text, Duration expected) {
    assertThat(Durations.parse(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "s",
        "-1s",
        "1.s",
        ".5s",
        "30s1m",
        "1s1s",
        "1m 30s",
        "10 s",
        "10S",
        "PT",
        "P",
        "1w",
        "99999999999s"
      })
  void whatIsNoneIsShownAndExplained(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'" + text + "' is not a duration; write 500ms, 10s, 1.5s, 1m30s, 2h, 7d or PT10S");
  }

  @Test
  void aNumberWithoutUnitIsRefusedWithOne() {
    assertThatThrownBy(() -> Durations.parse("10"))
        .hasMessage("'10' is not a duration: it has no unit; write 10s for seconds");
  }

  @ParameterizedTest
  @CsvSource({
    "PT0.25S, 250ms",
    "PT1S, 1s",
    "PT1.5S, 1.5s",
    "PT30S, 30s",
    "PT1M1.025S, 61.025s",
    "PT0S, 0ms",
    "PT720H, 30d",
    "PT25H, 90000s"
  })
  void areShown(Duration duration, String text) {
    assertThat(Durations.show(duration)).isEqualTo(text);
  }

  @Test
  void aVeryLongOneDoesNotOverflowASumWithAClock() {
    assertThat(Durations.nanos(Duration.ofSeconds(Long.MAX_VALUE)) + Long.MAX_VALUE / 2)
        .isPositive();
  }
}
