package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConsoleTest {
  @Test
  void nothingThatMovesACursorIsShownAsItIs() {
    assertThat(Console.visible("a\nb\tc\u001b[2J\u202eé😀"))
        .isEqualTo("a\\nb\\tc\\u{1b}[2J\\u{202e}é😀");
  }
}
