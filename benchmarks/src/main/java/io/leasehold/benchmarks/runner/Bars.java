package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.Figure;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * A whole report as a picture in SVG: a panel for each line of its table, in it a bar for each
 * contender. Each panel has a logarithmic scale of its own, and a thin line is the range of the
 * rounds.
 */
public final class Bars {
  private static final int COLUMNS = 2;
  private static final int WIDTH = 480;
  private static final int TITLE = 40;
  private static final int BAR = 18;
  private static final int LABEL = 90;
  private static final int LENGTH = 250;

  private static final String LEGEND =
      "Bars are medians, thin lines the range of the rounds. Each panel has a logarithmic scale of its"
          + " own.";

  /** A row of the table, with the scenario that it belongs to. */
  private record Panel(Scenario scenario, Report.Line line) {
    List<Contender> contenders() {
      return line.figures().keySet().stream()
          .sorted(Comparator.comparingInt(Contender::ordinal))
          .toList();
    }

    String title() {
      String unit = line.measure().unit();
      return scenario.title() + ": " + line.measure().name() + (unit.isEmpty() ? "" : ", " + unit);
    }

    String better() {
      return line.measure().unit().equals("/s") ? "more is better" : "less is better";
    }
  }

  private final StringBuilder svg = new StringBuilder();

  private Bars() {}

  /** The picture. */
  public static String of(Report report) {
    return new Bars()
        .draw(
            report.sections().stream()
                .flatMap(
                    section -> section.lines().stream().map(l -> new Panel(section.scenario(), l)))
                .filter(panel -> !panel.line.figures().isEmpty())
                .toList());
  }

  private String draw(List<Panel> panels) {
    int bars = panels.stream().mapToInt(panel -> panel.contenders().size()).max().orElse(0);
    int height = TITLE + BAR * bars;
    int rows = (panels.size() + COLUMNS - 1) / COLUMNS;
    add(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">
        <style>text{font:12px Helvetica,Arial,sans-serif;fill:#1f2328}</style>
        <rect width="100%%" height="100%%" rx="8" fill="#ffffff" stroke="#d0d7de"/>
        """,
        COLUMNS * WIDTH, rows * height + 2 * BAR);
    for (int i = 0; i < panels.size(); i++) {
      add("<g transform=\"translate(%d %d)\">%n", i % COLUMNS * WIDTH, i / COLUMNS * height);
      panel(panels.get(i));
      add("</g>%n");
    }
    add("<text x=\"16\" y=\"%d\">%s</text>%n", rows * height + BAR, LEGEND);
    return svg.append("</svg>\n").toString();
  }

  private void panel(Panel panel) {
    double[] samples =
        panel.line.figures().values().stream()
            .flatMap(figure -> figure.samples().stream())
            .mapToDouble(Double::doubleValue)
            .filter(sample -> sample > 0)
            .sorted()
            .toArray();
    // The shortest bar is to be seen too
    double from = samples[0] / 2;
    double scale = LENGTH / Math.log(samples[samples.length - 1] / from);
    add("<text x=\"16\" y=\"28\" font-weight=\"bold\">%s</text>%n", panel.title());
    add("<text x=\"%d\" y=\"28\" text-anchor=\"end\">%s</text>%n", WIDTH - 16, panel.better());
    List<Contender> contenders = panel.contenders();
    IntStream.range(0, contenders.size())
        .forEach(i -> bar(contenders.get(i).title(), panel, contenders.get(i), i, from, scale));
  }

  private void bar(
      String title, Panel panel, Contender contender, int place, double from, double scale) {
    Figure figure = Objects.requireNonNull(panel.line.figures().get(contender));
    int y = TITLE + BAR * place;
    add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n", LABEL - 8, y + 10, title);
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"12\" fill=\"#54aeff\"/>%n",
        LABEL, y, length(figure.value(), from, scale));
    double end = length(figure.most(), from, scale);
    add(
        "<path d=\"M%.1f %dH%.1f\" stroke=\"#0a3069\"/>%n",
        LABEL + length(figure.least(), from, scale), y + 6, LABEL + end);
    add(
        "<text x=\"%.1f\" y=\"%d\">%s</text>%n",
        LABEL + end + 6, y + 10, Figure.show(figure.value()));
  }

  private static double length(double value, double from, double scale) {
    return Math.max(0, Math.log(value / from) * scale);
  }

  @SuppressWarnings("AnnotateFormatMethod") // It would take one more dependency
  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values));
  }
}
