package io.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseIdTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0, 00000000000000000000000000000000",
    "-1, 1, ffffffffffffffff0000000000000001",
    "9223372036854775807, -9223372036854775808, 7fffffffffffffff8000000000000000",
  })
  void isWrittenAndReadBack(long client, long sequence, String text) {
    LeaseId id = new LeaseId(client, sequence);
    assertThat(id).hasToString(text);
    assertThat(LeaseId.parse(text)).isEqualTo(id);
  }

  @Test
  void whatIsNotOneIsRefused() {
    assertThatThrownBy(() -> LeaseId.parse("abc")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LeaseId.parse("g".repeat(32)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void R04_tokensOfOneGrantLieBelowThoseOfTheNext() {
    long last = FenceNumber.token(7, FenceNumber.MAX_HAND_OVERS);
    assertThat(last).isLessThan(FenceNumber.token(8, 0));
    assertThat(FenceNumber.number(last)).isEqualTo(7);
    assertThat(FenceNumber.token(FenceNumber.MAX, FenceNumber.MAX_HAND_OVERS)).isPositive();
  }
}
