package io.leasehold.redis;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
   * Of an attempt.
   *
   * @param id as {@link #id} has it
   * @param channel on which its client is woken
   * @param carefully to do nothing in a bucket that is not in use yet
   */
  static List<byte[]> of(Ticket ticket, byte[] id, String channel, boolean carefully) {
    String intent = ticket.intent() == Ticket.Intent.TRY ? " try " : " queue ";
    String rest =
        ticket.permits() + " " + ticket.limit() + intent + (ticket.fair() ? "1 " : "0 ") + channel;
    List<byte[]> asked = new ArrayList<>(7);
    asked.addAll(
        List.of(
            id, mode(ticket), ttl(ticket), Command.bytes(ticket.holder()), Command.bytes(rest)));
    if (ticket.leastNumber() > 0) {
      asked.add(Command.digits(ticket.leastNumber()));
    } else if (carefully) {
      asked.add(NOTHING);
    }
    if (carefully) {
      asked.add(CAREFULLY);
    }
    return asked;
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
