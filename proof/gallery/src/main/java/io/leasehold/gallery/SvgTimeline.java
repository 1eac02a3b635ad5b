package io.leasehold.gallery;

import io.leasehold.gallery.Recording.Row;
import io.leasehold.gallery.Recording.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Two records as one picture: the broken lock left, Leasehold right. The same each time. */
final class SvgTimeline {
  private static final int PANEL = 540;
  private static final int LANE = 22;
  private static final int LINE = 18;
  private static final int TOP = 64;
  private static final int MARGIN = 20;

  /** Characters of a monospaced line, as wide as the panel allows whatever the font. */
  private static final double CHARACTER = 7.0;

  private static final String STYLE =
      """
      text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}
      .h{font-weight:bold;font-size:14px}.d{fill:#57606a}.n{font-weight:bold}
      .bad{fill:#cf222e;font-weight:bold}.good{fill:#1a7f37;font-weight:bold}
      .l{stroke:#afb8c1;stroke-width:2}.s{stroke:#afb8c1;stroke-width:2;stroke-dasharray:3 3}
      .i{stroke:#2da44e;stroke-width:8}.o{stroke:#cf222e;stroke-width:8}
      .p{stroke:#2da44e;stroke-width:8;stroke-dasharray:3 3}
      """;

  private final StringBuilder svg = new StringBuilder();

  /** The picture. */
  static String of(Exhibit exhibit, Recording broken, Recording leasehold) {
    return new SvgTimeline().draw(exhibit, broken, leasehold);
  }

  private String draw(Exhibit exhibit, Recording broken, Recording leasehold) {
    int first = panel(0, "As found in the wild", broken, "✗ " + exhibit.harm().words(), "bad");
    int second = panel(PANEL, "Leasehold", leasehold, "✓ " + leasehold.verdict(), "good");
    int height = Math.max(first, second) + MARGIN;
    String title = escape(exhibit.id() + ". " + exhibit.title());
    return String.format(
            Locale.ROOT,
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">
            <title>%s</title>
            <style>
            %s</style>
            <rect width="100%%" height="100%%" rx="8" fill="#ffffff" stroke="#d0d7de"/>
            <text class="h" x="20" y="26">%s</text>
            """,
            2 * PANEL,
            height,
            title,
            STYLE,
            title)
        + svg
        + "</svg>\n";
  }

  private int panel(int left, String title, Recording recording, String verdict, String judged) {
    int x = left + MARGIN;
    text(x, 46, "d", title);
    List<String> names = recording.names();
    for (int lane = 0; lane < names.size(); lane++) {
      text(x + lane * LANE - 4, TOP, "n", names.get(lane));
    }
    int y = TOP + 6;
    Row before = new Row(-1, "", names.stream().map(name -> State.OUTSIDE).toList());
    for (Row row : recording.rows()) {
      y = row(x, y, names, before, row);
      before = row;
    }
    y += 10;
    for (String line : recording.data()) {
      y = paragraph(x, y, "d", line);
    }
    return paragraph(x, y + 4, judged, verdict);
  }

  /** The lines of the clients change their state in the middle of the row. */
  private int row(int x, int top, List<String> names, Row before, Row row) {
    int words = x + names.size() * LANE;
    String who = row.lane() < 0 ? "— " : names.get(row.lane()) + "  ";
    List<String> lines = wrapped(who + row.text(), PANEL - MARGIN - names.size() * LANE);
    int middle = top + LINE / 2;
    int end = top + lines.size() * LINE;
    for (int lane = 0; lane < names.size(); lane++) {
      line(x + lane * LANE, top, middle, before.states().get(lane), before.isOverlap());
      line(x + lane * LANE, middle, end, row.states().get(lane), row.isOverlap());
    }
    if (row.lane() >= 0) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<circle cx=\"%d\" cy=\"%d\" r=\"5\" fill=\"#1f2328\"/>%n",
              x + row.lane() * LANE,
              middle));
    }
    for (int i = 0; i < lines.size(); i++) {
      text(words, top + i * LINE + 13, row.lane() < 0 ? "d" : "", lines.get(i));
    }
    return end;
  }

  private int paragraph(int x, int top, String kind, String text) {
    int y = top;
    for (String each : wrapped(text, PANEL - 2 * MARGIN)) {
      text(x, y + 13, kind, each);
      y += LINE;
    }
    return y;
  }

  private void line(int x, int from, int to, State state, boolean overlap) {
    String kind =
        switch (state) {
          case OUTSIDE -> "l";
          case INSIDE -> overlap ? "o" : "i";
          case STOPPED -> "s";
          case STOPPED_INSIDE -> "p";
          case DEAD -> "";
        };
    if (!kind.isEmpty()) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>%n",
              kind,
              x,
              from,
              x,
              to));
    }
  }

  private void text(int x, int y, String kind, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text%s x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>%n",
            kind.isEmpty() ? "" : " class=\"" + kind + "\"",
            x,
            y,
            escape(text)));
  }

  private static List<String> wrapped(String text, int width) {
    int most = (int) (width / CHARACTER) - 2;
    List<String> lines = new ArrayList<>();
    String rest = text;
    while (rest.length() > most) {
      int space = rest.lastIndexOf(' ', most);
      int cut = space > most / 2 ? space : most;
      lines.add(rest.substring(0, cut));
      rest = "   " + rest.substring(cut).stripLeading();
    }
    lines.add(rest);
    return lines;
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
