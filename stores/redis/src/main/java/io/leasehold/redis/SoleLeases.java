package io.leasehold.redis;

import io.leasehold.LockMode;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive leases of this client for which no other client waited, by the server's last word.
 * The value of such a lease's key is known, so that a server that compares needs no script.
 * Thread-safe.
 */
final class SoleLeases {
  private final Node node;
  private final Map<LeaseId, Long> numbers = new ConcurrentHashMap<>();

  SoleLeases(Node node) {
    this.node = node;
  }

  void add(Ticket ticket, long number) {
    if (node.compares() && ticket.mode() == LockMode.EXCLUSIVE) {
      numbers.put(ticket.id(), number);
    }
  }

  void remove(LeaseId id) {
    if (!numbers.isEmpty()) {
      numbers.remove(id);
    }
  }

  /** The value of its key, as {@code state.lua} has it; null if it is not one of these. */
  byte @Nullable [] value(Ticket ticket) {
    Long number = node.compares() ? numbers.get(ticket.id()) : null;
    return number == null
        ? null
        : Command.bytes("x" + number + " " + ticket.id() + " " + ticket.holder());
  }
}
