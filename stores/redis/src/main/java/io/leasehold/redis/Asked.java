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
  private static final byte[] EXCLUSIVE = Command.bytes("x");
  private static final byte[] SHARED = Command.bytes("s");
  private static final byte[] PERMITS = Command.bytes("p");

  private static final byte[] CAREFULLY = Command.bytes("1");
  private static final byte[] NOTHING = {};

  private final String channel;
  private final byte[] channelBytes;

  /** What was wanted last: mostly the next wants the same. */
  private volatile @Nullable Wanted recent;

  /** By a client that is woken on a channel. */
  Asked(String channel) {
    this.channel = channel;
    this.channelBytes = Command.bytes(channel);
  }

  /** What a ticket wants, as the scripts read it. */
  private static final class Wanted {
    private final Ticket ticket;
    private final byte[] text;
    private final byte[] ttl;

    Wanted(Ticket ticket, String channel) {
      String intent = ticket.intent() == Ticket.Intent.TRY ? " try " : " queue ";
      String fair = ticket.fair() ? "1 " : "0 ";
      this.ticket = ticket;
      this.text = Command.bytes(ticket.permits() + " " + ticket.limit() + intent + fair + channel);
      this.ttl = ttl(ticket);
    }

    boolean isWantedBy(Ticket other) {
      return ticket.permits() == other.permits()
          && ticket.limit() == other.limit()
          && ticket.intent() == other.intent()
          && ticket.fair() == other.fair()
          && ticket.ttl().equals(other.ttl());
    }
  }

  private Wanted wanted(Ticket ticket) {
    Wanted wanted = recent;
    if (wanted == null || !wanted.isWantedBy(ticket)) {
      wanted = new Wanted(ticket, channel);
      recent = wanted;
    }
    return wanted;
  }

  /**
   * Of attempts that want the same, but for their ttl.
   *
   * @param ids of the tickets
   * @param carefully to do nothing in a bucket that is not in use yet
   */
  List<byte[]> of(List<Ticket> tickets, List<byte[]> ids, boolean carefully) {
    Ticket first = tickets.get(0);
    byte[][] asked = new byte[4 + 3 * tickets.size()][];
    asked[0] = mode(first);
    asked[1] = wanted(first).text;
    asked[2] = first.leastNumber() > 0 ? Command.digits(first.leastNumber()) : NOTHING;
    asked[3] = carefully ? CAREFULLY : NOTHING;
    int next = 4;
    for (int i = 0; i < tickets.size(); i++) {
      Ticket ticket = tickets.get(i);
      asked[next++] = ids.get(i);
      asked[next++] = wanted(ticket).ttl;
      asked[next++] = Command.bytes(ticket.holder());
    }
    return Arrays.asList(asked);
  }

  /**
   * Of a release.
   *
   * @param served whose places go with it
   */
  List<byte[]> ofRelease(LeaseId id, Collection<LeaseId> served) {
    byte[][] asked = new byte[2 + served.size()][];
    asked[0] = id(id);
    asked[1] = channelBytes;
    int next = 2;
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

  private static byte[] mode(Ticket ticket) {
    return switch (ticket.mode()) {
      case EXCLUSIVE -> EXCLUSIVE;
      case SHARED -> SHARED;
      case PERMITS -> PERMITS;
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
