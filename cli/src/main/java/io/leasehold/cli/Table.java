package io.leasehold.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lines under a heading, their columns aligned. */
final class Table {
  private final List<List<String>> lines = new ArrayList<>();

  Table(String... heading) {
    add(heading);
  }

  /** One line: as many cells as the heading has. */
  void add(String... cells) {
    lines.add(List.of(cells));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    int last = lines.get(0).size() - 1;
    int[] widths = new int[last];
    Arrays.setAll(widths, this::width);
    for (List<String> line : lines) {
      for (int column = 0; column < last; column++) {
        String cell = line.get(column);
        text.append(cell).append(" ".repeat(widths[column] - length(cell) + 2));
      }
      text.append(line.get(last)).append('\n');
    }
    return text.toString();
  }

  private int width(int column) {
    return lines.stream().mapToInt(line -> length(line.get(column))).max().orElse(0);
  }

  private static int length(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
