package io.leasehold.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockNamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"a", "/ : % ' \" ; {} * \n", "../", "ключ", "😀", " ", "\u0001"})
  void R13_hostileNamesAreNames(String name) {
    assertThat(LockNames.require(name)).isEqualTo(name);
  }

  @Test
  void R13_theLimitCountsCodePoints() {
    assertThat(LockNames.require("😀".repeat(255))).hasSize(510);
    refused("😀".repeat(256), "at most 255 code points, but this has 256");
  }

  @Test
  void R13_whatNoStoreCouldKeepIsRefused() {
    refused("", "must not be empty");
    refused("a\0b", "NUL, but this does at index 1");
    refused("a\uD83D", "unpaired surrogate, but this does at index 1");
    refused("\uDE00a", "unpaired surrogate, but this does at index 0");
    refused("\uD83D\uD83D\uDE00", "unpaired surrogate, but this does at index 0");
  }

  private static void refused(String name, String why) {
    assertThatThrownBy(() -> LockNames.require(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }
}
