package io.leasehold.spi.support;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations and prints them, and converts them to nanoseconds without overflow. */
public final class Durations {
  private static final long MOST_NANOS = Long.MAX_VALUE / 4;
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long MOST_SECONDS = MOST_NANOS / NANOS_PER_SECOND;
  private static final Pattern PART = Pattern.compile("(\\d{1,9})(\\.\\d{1,9})?(ms|s|m|h|d)");
  private static final List<String> UNITS = List.of("d", "h", "m", "s", "ms");
  private static final List<Long> NANOS =
      List.of(86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L);

  private Durations() {}

  /**
   * Parses {@code 500ms}, {@code 1.5s}, {@code 1m30s}, {@code 2h}, {@code 1d}, {@code PT10S}, and
   * 0.
   *
   * @throws IllegalArgumentException if the text is not a duration; the message quotes it and shows
   *     the valid forms
   */
  public static Duration parse(String text) {
    if (text.matches("\\d+") && !text.equals("0")) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a duration: it has no unit; write " + text + "s for seconds");
    }
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    try {
      return text.toUpperCase(Locale.ROOT).startsWith("P") ? Duration.parse(text) : sum(text);
    } catch (DateTimeParseException e) {
      throw notADuration(text, e);
    }
  }

  /** Reads parts, each with its unit, the largest first. */
  private static Duration sum(String text) {
    Matcher part = PART.matcher(text);
    Duration sum = Duration.ZERO;
    int last = -1;
    int end = 0;
    while (part.find() && part.start() == end && UNITS.indexOf(part.group(3)) > last) {
      last = UNITS.indexOf(part.group(3));
      end = part.end();
      long unit = NANOS.get(last);
      sum = sum.plus(Duration.ofNanos(unit).multipliedBy(Long.parseLong(part.group(1))));
      if (part.group(2) != null) {
        sum =
            sum.plusNanos(
                new BigDecimal(part.group(2)).multiply(BigDecimal.valueOf(unit)).longValue());
      }
    }
    if (end == 0 || end < text.length()) {
      throw notADuration(text, null);
    }
    return sum;
  }

  private static IllegalArgumentException notADuration(
      String text, @org.jspecify.annotations.Nullable Throwable cause) {
    return new IllegalArgumentException(
        "'" + text + "' is not a duration; write 500ms, 10s, 1.5s, 1m30s, 2h, 7d or PT10S", cause);
  }

  /**
   * The duration in nanoseconds, within {@link Long#MAX_VALUE} / 4 of zero, so that the sum with a
   * clock reading cannot overflow.
   */
  public static long nanos(Duration d) {
    long seconds = d.getSeconds();
    if (seconds >= MOST_SECONDS || seconds <= -MOST_SECONDS) {
      return seconds > 0 ? MOST_NANOS : -MOST_NANOS;
    }
    return seconds * NANOS_PER_SECOND + d.getNano();
  }

  /**
   * The duration for messages: {@code 1.5s}, {@code 30s}, {@code 250ms}; whole days as {@code 30d}.
   */
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
