package io.leasehold.benchmarks.failover;

import io.leasehold.benchmarks.failover.Trial.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What came of the failovers of one library at one step.
 *
 * @param outcomes of each
 */
record Row(FailoverLibrary library, Step step, List<Outcome> outcomes) {
  /** Of all libraries and steps. */
  static List<Row> all() {
    return Stream.of(FailoverLibrary.values())
        .flatMap(library -> Stream.of(Step.values()).map(step -> new Row(library, step)))
        .toList();
  }

  private Row(FailoverLibrary library, Step step) {
    this(library, step, new ArrayList<>());
  }

  synchronized void add(Outcome outcome) {
    outcomes.add(outcome);
  }

  synchronized long count(Predicate<Outcome> what) {
    return outcomes.stream().filter(what).count();
  }

  long overlaps() {
    return count(Outcome::overlap);
  }

  long told() {
    return count(Outcome::told);
  }

  long stopped() {
    return count(Outcome::stopped);
  }

  /** What Leasehold promises and did not keep; nothing is expected of the others. */
  List<String> misses() {
    List<String> misses = new ArrayList<>();
    if (library.isOurs()) {
      boolean isSafe = step.survives() || (library.waitsForReplicas() && !step.isReplicated());
      if (isSafe && overlaps() > 0) {
        misses.add("overlaps");
      }
      if (told() != overlaps()) {
        misses.add("told");
      }
      if (stopped() != overlaps()) {
        misses.add("stopped");
      }
    }
    return misses.stream()
        .map(each -> library.title() + ", " + step.title() + ": " + each)
        .toList();
  }

  /** In Markdown: what has no such thing has a dash. */
  String line() {
    List<String> cells =
        List.of(
            step.title(),
            "" + count(Outcome::first),
            "" + count(Outcome::second),
            "" + overlaps(),
            library.tells() ? "" + told() : "–",
            library.isFenced() ? "" + stopped() : "–");
    return "| " + String.join(" | ", cells) + " |";
  }

  /** All of them in Markdown, below the title of each library. */
  static String table(List<Row> rows) {
    StringBuilder text = new StringBuilder();
    text.append("| promoted when the grant was | first | second | both | told | stopped |\n");
    text.append("|---|---:|---:|---:|---:|---:|\n");
    for (FailoverLibrary library : FailoverLibrary.values()) {
      List<Row> its = rows.stream().filter(row -> row.library == library).toList();
      if (!its.isEmpty()) {
        text.append("| **").append(library.title()).append("** | | | | | |\n");
        its.forEach(row -> text.append(row.line()).append('\n'));
      }
    }
    return text.toString();
  }
}
