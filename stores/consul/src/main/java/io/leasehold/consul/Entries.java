package io.leasehold.consul;

import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.sessions.EntryValue;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.LockNames;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.json.JSONObject;

/** Entries as keys: {@code PREFIXlock/NAME/LABEL}. The acquisition is in the value. */
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
    return folder() + LockNames.encoded(name) + "/";
  }

  /** With this id instead of the ticket's own. */
  String key(Ticket ticket, LeaseId id) {
    return folder(ticket.name()) + Entry.label(ticket, id);
  }

  /** The key that stands if this ticket was taken back. */
  String gone(LeaseId id) {
    return prefix + "gone/" + id;
  }

  String value(LeaseId acquisition, Details details) {
    return value(EntryValue.text(acquisition, details, clock.wallMillis()));
  }

  static String value(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The entries among these keys, in their order. */
  List<Entry> of(List<JSONObject> keys) {
    return keys.stream()
        .flatMap(key -> of(key).stream())
        .sorted(Comparator.comparingLong(Entry::number))
        .toList();
  }

  /** Empty for a key that no store of this kind has made. */
  private Optional<Entry> of(JSONObject found) {
    String key = found.getString("Key");
    String[] parts = key.substring(Math.min(key.length(), folder().length())).split("/", -1);
    try {
      String name = LockNames.decoded(parts[0]);
      String label = parts[parts.length - 1];
      long number = found.getLong("CreateIndex");
      EntryValue value = EntryValue.of(text(found), clock.wallMillis());
      Entry entry = Entry.of(name, key, label, number, value.details());
      return Optional.of(value.id().map(entry::with).orElse(entry));
    } catch (IllegalArgumentException foreign) {
      return Optional.empty();
    }
  }

  /** The value of a key. A stranger who writes over it takes no place away. */
  static String text(JSONObject found) {
    byte[] value = Base64.getDecoder().decode(found.optString("Value"));
    return new String(value, StandardCharsets.UTF_8);
  }
}
