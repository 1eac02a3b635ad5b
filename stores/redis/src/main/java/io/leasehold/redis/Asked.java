package io.leasehold.redis;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** What the scripts are told of a ticket. */
final class Asked {
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] EXCLUSIVE = Command.bytes("x");
  private static final byte[] SHARED = Command.bytes("s");
  private static final byte[] PERMITS = Command.bytes("p");

  private static final byte[] CAREFULLY = Command.bytes("1");
  private static final byte[] NOTHING = {};

  private Asked() {}

  /**
   * Of attempts that want the same.
   *
   * @param ids of the tickets
   * @param channel on which their client is woken
   * @param carefully to do nothing in a bucket that is not in use yet
   */
  static List<byte[]> of(
      List<Ticket> tickets, List<byte[]> ids, String channel, boolean carefully) {
    Ticket first = tickets.get(0);
    String intent = first.intent() == Ticket.Intent.TRY ? " try " : " queue ";
    String rest =
        first.permits() + " " + first.limit() + intent + (first.fair() ? "1 " : "0 ") + channel;
    byte[][] asked = new byte[4 + 3 * tickets.size()][];
    asked[0] = mode(first);
    asked[1] = Command.bytes(rest);
    asked[2] = first.leastNumber() > 0 ? Command.digits(first.leastNumber()) : NOTHING;
    asked[3] = carefully ? CAREFULLY : NOTHING;
    int next = 4;
    for (int i = 0; i < tickets.size(); i++) {
      Ticket ticket = tickets.get(i);
      asked[next++] = ids.get(i);
      asked[next++] = ttl(ticket);
      asked[next++] = Command.bytes(ticket.holder());
    }
    return Arrays.asList(asked);
  }

  /**
   * Of a release.
   *
   * @param channel of the client, for which no message is needed
   * @param served whose places go with it
   */
  static List<byte[]> ofRelease(LeaseId id, byte[] channel, Collection<LeaseId> served) {
    byte[][] asked = new byte[2 + served.size()][];
    asked[0] = id(id);
    asked[1] = channel;
    if (asked.length > 2) {
      int next = 2;
      for (LeaseId each : served) {
        asked[next++] = id(each);
      }
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
