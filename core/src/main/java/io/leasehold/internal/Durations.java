package io.leasehold.internal;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them, and as arithmetic needs them. */
public final class Durations {
  private static final long MOST_NANOS = Long.MAX_VALUE / 4;
  private static final Duration MOST = Duration.ofNanos(MOST_NANOS);
  private static final Pattern SHORT = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

  private Durations() {}

  /**
   * Reads {@code 500ms}, {@code 10s}, {@code 5m}, {@code 2h}, {@code 1d}, {@code PT10S}, and 0.
   *
   * @throws IllegalArgumentException says what was read and what would be understood
   */
  public static Duration parse(String text) {
    Matcher m = SHORT.matcher(text);
    if (m.matches()) {
      long n = Long.parseLong(m.group(1));
      return switch (m.group(2)) {
        case "ms" -> Duration.ofMillis(n);
        case "s" -> Duration.ofSeconds(n);
        case "m" -> Duration.ofMinutes(n);
        case "h" -> Duration.ofHours(n);
        default -> Duration.ofDays(n);
      };
    }
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    try {
      if (text.toUpperCase(Locale.ROOT).startsWith("P")) {
        return Duration.parse(text);
      }
    } catch (DateTimeParseException e) {
      throw notADuration(text, e);
    }
    throw notADuration(text, null);
  }

  private static IllegalArgumentException notADuration(
      String text, @org.jspecify.annotations.Nullable Throwable cause) {
    return new IllegalArgumentException(
        "'" + text + "' is not a duration; write 500ms, 10s, 5m, 2h or PT10S", cause);
  }

  /**
   * Nanoseconds, at most {@link Long#MAX_VALUE} / 4, so that sums with a clock reading cannot
   * overflow.
   */
  public static long nanos(Duration d) {
    return d.compareTo(MOST) >= 0 ? MOST_NANOS : d.toNanos();
  }

  /** For messages: {@code 1.5s}, {@code 30s}, {@code 250ms}; whole days as {@code 30d}. */
  public static String show(Duration d) {
    if (!d.isZero() && d.equals(Duration.ofDays(d.toDays()))) {
      return d.toDays() + "d";
    }
    long ms = d.toMillis();
    if (ms < 1000) {
      return ms + "ms";
    }
    return ms % 1000 == 0
        ? ms / 1000 + "s"
        : ms / 1000
            + "."
            + String.format(Locale.ROOT, "%03d", ms % 1000).replaceAll("0+$", "")
            + "s";
  }
}
