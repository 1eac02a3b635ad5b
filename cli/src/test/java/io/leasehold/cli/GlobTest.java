package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
  @ParameterizedTest
  @CsvSource({
    "*, anything, true",
    "*, '', true",
    "'', '', true",
    "'', a, false",
    "invoice-*, invoice-7, true",
    "invoice-*, invoice-, true",
    "invoice-*, my-invoice-7, false",
    "*-run, a-run-run, true",
    "a*b*c, aXbbXc, true",
    "a*b*c, aXcb, false",
    "??, 𝕏𝕐, true",
    "?, ab, false",
    "a?c, abc, true",
    "[a], a, false",
    "a.c, abc, false",
    "**a, ba, true"
  })
  void matchesWholeNames(String pattern, String name, boolean matches) {
    assertThat(new Glob(pattern).matches(name)).isEqualTo(matches);
  }
}
