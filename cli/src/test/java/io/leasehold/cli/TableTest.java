package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  void columnsBeginWhereTheirHeadingDoes() {
    Table table = new Table("A", "BB", "C");
    table.add("😀é", "1", "end");
    table.add("x", "longest", "");

    assertThat(table).hasToString("A   BB       C\n😀é  1        end\nx   longest  \n");
  }

  /** As many as a busy store has: with a look at all lines for each line, it would take hours. */
  @Test
  void aLongTableIsPrintedInTimeThatGrowsWithItsLength() {
    Table table = new Table("A", "B", "C");
    for (int i = 0; i < 200_000; i++) {
      table.add("name-" + i, "held", "exclusive");
    }

    assertThat(assertTimeoutPreemptively(Duration.ofSeconds(30), table::toString))
        .hasLineCount(200_001);
  }
}
