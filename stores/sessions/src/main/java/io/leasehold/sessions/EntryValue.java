package io.leasehold.sessions;

import io.leasehold.sessions.Entry.Details;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value of an entry whose key does not have the lease id: {@code ID 30s since
 * 2030-01-31T12:00:00Z HOLDER}.
 *
 * @param id the acquisition; empty if {@link #text} has not written it
 * @param details what is for people
 */
public record EntryValue(Optional<LeaseId> id, Details details) {
  private static final Pattern TEXT = Pattern.compile("([0-9a-f]{32}) (.*)", Pattern.DOTALL);

  /**
   * Of an entry that is made now.
   *
   * @param now the wall clock
   */
  public static String text(Ticket ticket, long now) {
    return text(ticket.id(), Details.of(ticket), now);
  }

  /**
   * Of an entry of which this is known.
   *
   * @param now the wall clock
   */
  public static String text(LeaseId acquisition, Details details, long now) {
    return acquisition + " " + details.text(now);
  }

  /**
   * What a value says.
   *
   * @param now the wall clock; the age is by that of another machine
   */
  public static EntryValue of(String text, long now) {
    Matcher parts = TEXT.matcher(text);
    return parts.matches()
        ? new EntryValue(
            Optional.of(LeaseId.parse(parts.group(1))), Details.of(parts.group(2), now))
        : new EntryValue(Optional.empty(), Details.of(text, now));
  }
}
