package io.leasehold.cli;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Durations;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * What is held and waited for, for a person: one line for each holder and waiter, under a heading.
 */
final class HeldTable {
  private static final List<String> HEADING =
      List.of("NAME", "STATE", "HOLDER", "SINCE", "FOR", "TOKEN", "REMAINING");

  private final Instant now;
  private final List<List<String>> lines = new ArrayList<>(List.of(HEADING));

  HeldTable(Instant now) {
    this.now = now;
  }

  HeldTable add(LockSnapshot lock) {
    for (LockSnapshot.Holder h : lock.holders()) {
      lines.add(
          List.of(
              Console.visible(lock.name()),
              "held" + mode(h.mode(), h.permits()),
              Console.visible(h.holder()),
              since(h.heldFor()),
              rough(h.heldFor()),
              Long.toString(h.fencingToken()),
              rough(h.remaining())));
    }
    for (LockSnapshot.Waiter w : lock.waiters()) {
      lines.add(
          List.of(
              Console.visible(lock.name()),
              "waits" + mode(w.mode(), 1),
              Console.visible(w.holder()),
              since(w.waitedFor()),
              rough(w.waitedFor()),
              "-",
              "-"));
    }
    return this;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    int last = HEADING.size() - 1;
    for (List<String> line : lines) {
      for (int column = 0; column < last; column++) {
        String cell = line.get(column);
        text.append(cell).append(" ".repeat(width(column) - length(cell) + 2));
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

  private static String mode(LockMode mode, int permits) {
    return switch (mode) {
      case EXCLUSIVE -> "";
      case SHARED -> " shared";
      case PERMITS -> " permits=" + permits;
    };
  }

  private String since(Duration ago) {
    return now.minus(ago).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** Whole seconds where there are any. */
  private static String rough(Duration d) {
    return Durations.show(d.toMillis() < 1000 ? d : d.truncatedTo(ChronoUnit.SECONDS));
  }
}
