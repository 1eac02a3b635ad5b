package io.leasehold.benchmarks.runner;

import io.leasehold.benchmarks.Figure;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The rates of a scenario as a picture in SVG: a line for each contender, and its measures from
 * left to right, each with the range of its rounds.
 */
final class Plot {
  private static final List<String> COLORS = List.of("#0969da", "#cf222e", "#1a7f37", "#8250df");
  private static final int WIDTH = 760;
  private static final int HEIGHT = 360;
  private static final int LEFT = 70;
  private static final int RIGHT = 20;
  private static final int TOP = 70;
  private static final int BOTTOM = 40;

  private final List<Report.Line> points;
  private final List<Contender> contenders;
  private final double top;

  private Plot(List<Report.Line> points) {
    this.points = points;
    this.contenders =
        points.stream()
            .flatMap(point -> point.figures().keySet().stream())
            .distinct()
            .sorted(Comparator.comparingInt(Contender::ordinal))
            .toList();
    double most = figures(points.stream()).flatMap(Plot::samples).reduce(1.0, Math::max);
    double step = Math.pow(10, Math.floor(Math.log10(most)));
    this.top = Math.ceil(most / step) * step;
  }

  /** The picture. */
  static String of(Report.Section section) {
    List<Report.Line> rates =
        section.lines().stream().filter(line -> line.measure().unit().equals("/s")).toList();
    return new Plot(rates).draw(section.scenario().title());
  }

  private static Stream<Figure> figures(Stream<Report.Line> lines) {
    return lines.flatMap(line -> line.figures().values().stream());
  }

  private static Stream<Double> samples(Figure figure) {
    return figure.samples().stream();
  }

  private String draw(String title) {
    StringBuilder svg =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">
                <title>%s</title>
                <style>text{font:12px Helvetica,Arial,sans-serif;fill:#1f2328}</style>
                <rect width="100%%" height="100%%" rx="8" fill="#ffffff" stroke="#d0d7de"/>
                <text x="%d" y="24" font-weight="bold">%s, updates a second</text>
                """,
                WIDTH,
                HEIGHT,
                title,
                LEFT,
                title));
    for (int i = 0; i <= 4; i++) {
      double value = top * i / 4;
      svg.append(
          String.format(
              Locale.ROOT,
              "<path d=\"M%d %.1fH%d\" stroke=\"#d0d7de\"/>"
                  + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
              LEFT,
              y(value),
              WIDTH - RIGHT,
              LEFT - 8,
              y(value) + 4,
              Figure.show(value)));
    }
    for (int i = 0; i < points.size(); i++) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
              x(i),
              HEIGHT - BOTTOM + 22,
              points.get(i).measure().name()));
    }
    for (int i = 0; i < contenders.size(); i++) {
      line(svg, contenders.get(i), i);
    }
    return svg.append("</svg>\n").toString();
  }

  private void line(StringBuilder svg, Contender contender, int place) {
    String color = COLORS.get(place % COLORS.size());
    List<Integer> there =
        IntStream.range(0, points.size())
            .filter(i -> points.get(i).figures().containsKey(contender))
            .boxed()
            .toList();
    String path =
        there.stream()
            .map(
                i ->
                    String.format(
                        Locale.ROOT,
                        "%.1f %.1f",
                        x(i),
                        y(figure(i, contender).orElseThrow().value())))
            .collect(Collectors.joining("L", "M", ""));
    svg.append(String.format(Locale.ROOT, "<g stroke=\"%s\" fill=\"none\">%n", color));
    svg.append(String.format(Locale.ROOT, "<path d=\"%s\" stroke-width=\"2.5\"/>%n", path));
    for (int i : there) {
      Figure figure = figure(i, contender).orElseThrow();
      svg.append(
          String.format(
              Locale.ROOT,
              "<path d=\"M%.1f %.1fV%.1f\"/>%n",
              x(i),
              y(figure.least()),
              y(figure.most())));
    }
    int x = LEFT + place * 200;
    svg.append(
        String.format(
            Locale.ROOT,
            "<path d=\"M%d 44h24\" stroke-width=\"2.5\"/></g>%n<text x=\"%d\" y=\"48\">%s</text>%n",
            x,
            x + 30,
            contender.title()));
  }

  private Optional<Figure> figure(int point, Contender contender) {
    return Optional.ofNullable(points.get(point).figures().get(contender));
  }

  private double x(int point) {
    double step = (WIDTH - LEFT - RIGHT) / (double) points.size();
    return LEFT + step * (point + 0.5);
  }

  private double y(double value) {
    return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
  }
}
