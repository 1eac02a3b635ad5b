package io.leasehold.spec;

import java.util.Arrays;
import java.util.List;

/** The tables of the specification's page: they are what is tested, so that they stay true. */
final class Table {
  private Table() {}

  /** The rows under this heading, cell by cell, without backquotes. */
  static List<List<String>> under(String heading) {
    String page = Model.read(Model.README);
    String section = page.split("\n## " + heading + "\n", 2)[1].split("\n## ", 2)[0];
    return section
        .lines()
        .filter(line -> line.startsWith("|"))
        .skip(2)
        .map(line -> line.substring(1, line.length() - 1).replace("`", ""))
        .map(line -> Arrays.stream(line.split("\\|")).map(String::strip).toList())
        .toList();
  }
}
