package io.leasehold.redis;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the scripts are told of a ticket. Thread-safe. */
final class Asked {
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NOTHING = {};

  /** What was wanted last: mostly the next wants the same. */
  private volatile @Nullable Wanted recent;

  /** What a ticket wants, as the scripts read it. */
  private static final class Wanted {
    private final Ticket ticket;
    private final boolean carefully;
    private final String channel;
    private final byte[] text;
    private final byte[] ttl;

    Wanted(Ticket ticket, boolean carefully, String channel) {
      String begin = (carefully ? "1 " : "0 ") + mode(ticket);
      String intent = ticket.intent() == Ticket.Intent.TRY ? " try " : " queue ";
      String fair = ticket.fair() ? "1 " : "0 ";
      this.ticket = ticket;
      this.carefully = carefully;
      this.channel = channel;
      this.text =
          Command.bytes(begin + ticket.permits() + " " + ticket.limit() + intent + fair + channel);
      this.ttl = ttl(ticket);
    }

    boolean isWantedBy(Ticket other, boolean alsoCarefully, String alsoOn) {
      return carefully == alsoCarefully
          && channel.equals(alsoOn)
          && ticket.mode() == other.mode()
          && ticket.permits() == other.permits()
          && ticket.limit() == other.limit()
          && ticket.intent() == other.intent()
          && ticket.fair() == other.fair()
          && ticket.ttl().equals(other.ttl());
    }
  }

  private Wanted wanted(Ticket ticket, boolean carefully, String channel) {
    Wanted wanted = recent;
    if (wanted == null || !wanted.isWantedBy(ticket, carefully, channel)) {
      wanted = new Wanted(ticket, carefully, channel);
      recent = wanted;
    }
    return wanted;
  }

  /**
   * Of attempts that want the same, but for their ttl.
   *
   * @param ids of the tickets
   * @param carefully to do nothing in a bucket that is not in use yet
   * @param channel on which they are woken
   */
  List<byte[]> of(List<Ticket> tickets, List<byte[]> ids, boolean carefully, String channel) {
    Ticket first = tickets.get(0);
    Wanted wanted = wanted(first, carefully, channel);
    byte[][] asked = new byte[2 + 3 * tickets.size()][];
    asked[0] = wanted.text;
    asked[1] = first.leastNumber() > 0 ? Command.digits(first.leastNumber()) : NOTHING;
    int next = 2;
    for (int i = 0; i < tickets.size(); i++) {
      Ticket ticket = tickets.get(i);
      asked[next++] = ids.get(i);
      asked[next++] = ticket.ttl().equals(first.ttl()) ? wanted.ttl : ttl(ticket);
      asked[next++] = Command.bytes(ticket.holder());
    }
    return Arrays.asList(asked);
  }

  /**
   * Of a release.
   *
   * @param served whose places go with it
   */
  static List<byte[]> ofRelease(LeaseId id, Collection<LeaseId> served) {
    byte[][] asked = new byte[1 + served.size()][];
    asked[0] = id(id);
    int next = 1;
    for (LeaseId each : served) {
      asked[next++] = id(each);
    }
    return Arrays.asList(asked);
  }

  static List<byte[]> ids(List<Ticket> tickets) {
    byte[][] ids = new byte[tickets.size()][];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = id(tickets.get(i).id());
    }
    return Arrays.asList(ids);
  }

  private static String mode(Ticket ticket) {
    return switch (ticket.mode()) {
      case EXCLUSIVE -> "x ";
      case SHARED -> "s ";
      case PERMITS -> "p ";
    };
  }

  static byte[] ttl(Ticket ticket) {
    return Command.digits(ticket.ttl().toMillis());
  }

  /** As {@link LeaseId#toString()} writes it. */
  static byte[] id(LeaseId id) {
    byte[] hex = new byte[32];
    write(id.client(), hex, 0);
    write(id.sequence(), hex, 16);
    return hex;
  }

  private static void write(long bits, byte[] to, int from) {
    for (int i = 0; i < 16; i++) {
      to[from + i] = DIGITS[(int) (bits >>> (60 - 4 * i)) & 15];
    }
  }
}
