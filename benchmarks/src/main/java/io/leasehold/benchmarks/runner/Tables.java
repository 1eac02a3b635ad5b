package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.Figure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A report for people: aligned for a terminal, or in Markdown. */
public final class Tables {
  private final Report report;
  private final boolean markdown;
  private final StringBuilder text = new StringBuilder();

  private Tables(Report report, boolean markdown) {
    this.report = report;
    this.markdown = markdown;
  }

  /** For a terminal. */
  public static String text(Report report) {
    return new Tables(report, false).write();
  }

  /** For a page. */
  public static String markdown(Report report) {
    return new Tables(report, true).write();
  }

  private String write() {
    report.machine().forEach((name, value) -> item(name + ": " + value));
    table(measured());
    if (report.sections().stream().anyMatch(section -> !section.targets().isEmpty())) {
      table(judged());
    }
    text.append('\n');
    report
        .exclusions()
        .forEach(
            (contender, exclusion) ->
                item(
                    String.format(
                        Locale.ROOT,
                        "%s: %.0f violations of mutual exclusion in %.0f grants",
                        contender.title(),
                        exclusion.violations(),
                        exclusion.grants())));
    report.failures().forEach(failure -> item("FAILED " + failure));
    long missed = report.missed();
    text.append('\n').append(missed == 0 ? "  PASS" : "  MISS: " + missed + " targets missed");
    return text.append('\n').toString();
  }

  private void item(String line) {
    text.append(markdown ? "- " : "  ").append(line).append('\n');
  }

  private List<List<String>> measured() {
    List<Contender> columns =
        report.sections().stream()
            .flatMap(section -> section.lines().stream())
            .flatMap(line -> line.figures().keySet().stream())
            .distinct()
            .sorted(Comparator.comparingInt(Contender::ordinal))
            .toList();
    List<List<String>> rows = new ArrayList<>();
    rows.add(row("measured, median of the rounds", columns.stream().map(Contender::title)));
    for (Report.Section section : report.sections()) {
      rows.add(title(section, columns.size() + 1));
      for (Report.Line line : section.lines()) {
        rows.add(
            row(
                indented(line.measure().name(), line.measure().unit()),
                columns.stream().map(column -> shown(line, column))));
      }
    }
    return rows;
  }

  private static String shown(Report.Line line, Contender column) {
    return Optional.ofNullable(line.figures().get(column))
        .map(figure -> Figure.show(figure.value()))
        .orElse("");
  }

  private List<List<String>> judged() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("Leasehold's targets", "figure", "range", "must", "aim", ""));
    for (Report.Section section : report.sections()) {
      if (!section.targets().isEmpty()) {
        rows.add(title(section, 6));
      }
      for (Figure figure : section.targets()) {
        rows.add(
            List.of(
                indented(figure.what(), figure.unit()),
                Figure.show(figure.value()),
                figure.range(),
                figure.must(),
                figure.aimed(),
                figure.verdict()));
      }
    }
    return rows;
  }

  private List<String> title(Report.Section section, int columns) {
    String title = section.scenario().title();
    Stream<String> rest = Stream.generate(() -> "").limit(columns - 1L);
    return row(markdown ? "**" + title + "**" : title, rest);
  }

  private String indented(String what, String unit) {
    return (markdown ? "" : "  ") + what + (unit.isEmpty() ? "" : ", " + unit);
  }

  private static List<String> row(String first, Stream<String> others) {
    return Stream.concat(Stream.of(first), others).toList();
  }

  private void table(List<List<String>> rows) {
    List<Integer> widths =
        IntStream.range(0, rows.get(0).size())
            .mapToObj(i -> rows.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
            .toList();
    text.append('\n').append(line(rows.get(0), widths));
    if (markdown) {
      text.append("|---|").append("---:|".repeat(widths.size() - 1)).append('\n');
    }
    rows.stream().skip(1).forEach(row -> text.append(line(row, widths)));
  }

  private String line(List<String> row, List<Integer> widths) {
    String cells =
        IntStream.range(0, row.size())
            .mapToObj(i -> aligned(row.get(i), (i == 0 ? -1 : 1) * Math.max(1, widths.get(i))))
            .collect(Collectors.joining(markdown ? " | " : "  "));
    return (markdown ? "| " + cells + " |" : ("  " + cells).stripTrailing()) + "\n";
  }

  /** On the left side if the width is negative. */
  private static String aligned(String cell, int width) {
    return String.format(Locale.ROOT, "%" + width + "s", cell);
  }
}
