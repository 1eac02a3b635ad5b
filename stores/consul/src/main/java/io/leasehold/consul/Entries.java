package io.leasehold.consul;

import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.json.JSONObject;

/**
 * Entries as keys: {@code PREFIXlock/NAME/LABEL}. The value is text: the ttl of the session in
 * milliseconds, when the entry was made by the wall clock of its client, and the holder.
 */
record Entries(String prefix, Clock clock) {
  /** Rejects what is no prefix. */
  Entries {
    requirePrefix(prefix);
  }

  /** Rejects what is no prefix. */
  static void requirePrefix(String prefix) {
    if (!prefix.matches("[\\w.-][\\w./-]{0,98}/")) {
      throw new IllegalArgumentException(
          "a key prefix has 2 to 100 characters of A-Z a-z 0-9 . _ - and /, and ends with a /");
    }
  }

  /** Of all names. */
  String folder() {
    return prefix + "lock/";
  }

  String folder(String name) {
    String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    // A path with a folder .. would lead elsewhere
    return folder() + encoded.replaceFirst("^\\.", "%2E") + "/";
  }

  String key(Ticket ticket) {
    return folder(ticket.name()) + Entry.label(ticket);
  }

  /** The key that stands if this ticket was taken back. */
  String gone(LeaseId id) {
    return prefix + "gone/" + id;
  }

  String value(Duration ttl, Duration age, String holder) {
    return value(clock, ttl, age, holder);
  }

  static String value(Clock clock, Duration ttl, Duration age, String holder) {
    String text = ttl.toMillis() + " " + (clock.wallMillis() - age.toMillis()) + " " + holder;
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The entries among these keys, by name and then in their order. */
  List<Entry> of(List<JSONObject> keys) {
    return keys.stream()
        .flatMap(key -> of(key).stream())
        .sorted(Comparator.comparing(Entry::name).thenComparingLong(Entry::number))
        .toList();
  }

  /** Empty for a key that no store of this kind has made. */
  private Optional<Entry> of(JSONObject found) {
    String key = found.getString("Key");
    String[] parts = key.substring(Math.min(key.length(), folder().length())).split("/", -1);
    try {
      String name = URLDecoder.decode(parts[0], StandardCharsets.UTF_8);
      String label = parts[parts.length - 1];
      long number = found.getLong("CreateIndex");
      return Optional.of(Entry.of(name, key, label, number, details(clock, found)));
    } catch (IllegalArgumentException foreign) {
      return Optional.empty();
    }
  }

  /** What a value says. A stranger who writes over it takes no place away. */
  static Details details(Clock clock, JSONObject found) {
    try {
      byte[] value = Base64.getDecoder().decode(found.optString("Value"));
      String[] parts = new String(value, StandardCharsets.UTF_8).split(" ", 3);
      long age = Math.max(0, clock.wallMillis() - Long.parseLong(parts[1]));
      Duration ttl = Duration.ofMillis(Long.parseLong(parts[0]));
      return new Details(parts[2], Duration.ofMillis(age), ttl);
    } catch (IllegalArgumentException | IndexOutOfBoundsException foreign) {
      return Details.NONE;
    }
  }
}
