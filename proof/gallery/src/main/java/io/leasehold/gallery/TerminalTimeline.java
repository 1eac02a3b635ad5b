package io.leasehold.gallery;

import io.leasehold.gallery.Recording.Row;
import io.leasehold.gallery.Recording.State;
import java.util.List;

/** A record as lines of text: a column for each client, thick while it has the lock. */
final class TerminalTimeline {
  private static final String RESET = "\u001b[0m";
  private static final String RED = "\u001b[31m";
  private static final String GREEN = "\u001b[32m";
  private static final String DIM = "\u001b[2m";

  private final boolean colours;

  TerminalTimeline(boolean colours) {
    this.colours = colours;
  }

  /** The lines, each with its end. */
  String of(Recording recording) {
    StringBuilder text = new StringBuilder("  ");
    recording.names().forEach(name -> text.append("  ").append(name));
    text.append('\n');
    for (Row row : recording.rows()) {
      line(text, row, recording.names());
    }
    for (String line : recording.data()) {
      text.append(paint(DIM, "     │ " + line)).append('\n');
    }
    return text.toString();
  }

  private void line(StringBuilder text, Row row, List<String> names) {
    text.append("  ");
    for (int lane = 0; lane < names.size(); lane++) {
      String mark = row.lane() == lane ? "●" : mark(row.states().get(lane));
      String colour = row.isOverlap() ? RED : GREEN;
      boolean isInside = row.states().get(lane) == State.INSIDE;
      text.append("  ").append(isInside ? paint(colour, mark) : mark);
    }
    String who = row.lane() < 0 ? "── " : names.get(row.lane()) + "  ";
    String line = "   " + who + row.text();
    text.append(row.lane() < 0 ? paint(DIM, line) : line).append('\n');
  }

  private static String mark(State state) {
    return switch (state) {
      case OUTSIDE -> "│";
      case INSIDE -> "┃";
      case STOPPED -> "┆";
      case STOPPED_INSIDE -> "┇";
      case DEAD -> " ";
    };
  }

  String good(String text) {
    return paint(GREEN, text);
  }

  String bad(String text) {
    return paint(RED, text);
  }

  private String paint(String colour, String text) {
    return colours ? colour + text + RESET : text;
  }
}
