package io.leasehold.cli;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What is held and waited for, for a person: one line for each holder and waiter. */
final class HeldTable {
  private final Instant now;
  private final Table table =
      new Table("NAME", "STATE", "MODE", "HOLDER", "SINCE", "FOR", "TOKEN", "REMAINING");

  HeldTable(Instant now) {
    this.now = now;
  }

  HeldTable add(LockSnapshot lock) {
    String name = Console.visible(lock.name());
    for (LockSnapshot.Holder h : lock.holders()) {
      table.add(
          name,
          "held",
          h.mode() == LockMode.PERMITS ? permits(h.permits()) : mode(h.mode()),
          Console.visible(h.holder()),
          since(h.heldFor()),
          rough(h.heldFor()),
          Long.toString(h.fencingToken()),
          rough(h.remaining()));
    }
    for (LockSnapshot.Waiter w : lock.waiters()) {
      table.add(
          name,
          "waits",
          mode(w.mode()),
          Console.visible(w.holder()),
          since(w.waitedFor()),
          rough(w.waitedFor()),
          "-",
          "-");
    }
    return this;
  }

  @Override
  public String toString() {
    return table.toString();
  }

  private static String mode(LockMode mode) {
    return switch (mode) {
      case EXCLUSIVE -> "exclusive";
      case SHARED -> "shared";
      case PERMITS -> "permits";
    };
  }

  private static String permits(int count) {
    return count == 1 ? "1 permit" : count + " permits";
  }

  private String since(Duration ago) {
    return now.minus(ago).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** The two largest units, as in 3d4h; what is under a second in milliseconds. */
  private static String rough(Duration d) {
    long seconds = d.toSeconds();
    if (seconds < 60) {
      return Durations.show(d.toMillis() < 1000 ? d : Duration.ofSeconds(seconds));
    }
    if (seconds < 3_600) {
      return d.toMinutes() + "m" + d.toSecondsPart() + "s";
    }
    return d.toHours() < 24
        ? d.toHours() + "h" + d.toMinutesPart() + "m"
        : d.toDays() + "d" + d.toHoursPart() + "h";
  }
}
