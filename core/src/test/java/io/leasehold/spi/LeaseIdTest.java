package io.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
  void isReadInCapitalsToo() {
    assertThat(LeaseId.parse("0123456789ABCDEFabcdef9876543210"))
        .isEqualTo(new LeaseId(0x0123456789ABCDEFL, 0xabcdef9876543210L));
  }

  @Test
  void whatIsTooShortIsRefused() {
    assertThatThrownBy(() -> LeaseId.parse("abc"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("this has 3");
  }

  /** Beside those that count, and such as are digits elsewhere. */
  @ParameterizedTest
  @ValueSource(strings = {"/", ":", "@", "G", "`", "g", "+", "-", " ", "é", "\u0660", "\uFF11"})
  void whatIsNoDigitIsRefused(String character) {
    assertThatThrownBy(() -> LeaseId.parse("0".repeat(31) + character))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("hexadecimal digit");
  }

  @Test
  void R04_tokensOfOneGrantLieBelowThoseOfTheNext() {
    long last = FenceNumber.token(7, FenceNumber.MAX_HAND_OVERS);
    assertThat(last).isLessThan(FenceNumber.token(8, 0));
    assertThat(FenceNumber.number(last)).isEqualTo(7);
    assertThat(FenceNumber.token(FenceNumber.MAX, FenceNumber.MAX_HAND_OVERS)).isPositive();
  }
}
