package io.leasehold.cli.once;

import io.leasehold.spi.support.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * That a command began: noted before it starts, for those who find its outcome unknown.
 *
 * @param fingerprint of its command line
 * @param pid of the tool
 * @param millis when, by the clock of the host
 * @param host where
 */
public record Begin(String fingerprint, long pid, long millis, String host) {
  private static final int PARTS = 4;

  /** Here and now. */
  public static Begin now(String fingerprint, Clock clock) {
    return new Begin(fingerprint, ProcessHandle.current().pid(), clock.wallMillis(), thisHost());
  }

  private static String thisHost() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      // Another system than Linux
      return Optional.ofNullable(System.getenv("HOSTNAME")).orElse("localhost");
    }
  }

  /** As it is stored. */
  String asText() {
    return fingerprint + " " + pid + " " + millis + " " + host;
  }

  /** Of its text; empty if that is of another version of this tool. */
  static Optional<Begin> parse(String text) {
    String[] parts = text.split(" ", PARTS);
    try {
      return parts.length < PARTS
          ? Optional.empty()
          : Optional.of(
              new Begin(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]), parts[3]));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** When, as messages say it. */
  public String time() {
    return DateTimeFormatter.ISO_INSTANT.format(
        Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS));
  }

  /** Where, as messages say it. */
  public String place() {
    return "on " + host + " (process " + pid + ")";
  }
}
