package io.leasehold.internal;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Makes the tickets of one client: each under a lease id of its own. */
final class Tickets {
  private final long client;
  private final AtomicLong sequence;
  private final Identity identity;

  Tickets(Identity identity, LongSupplier random) {
    this.identity = identity;
    this.client = random.getAsLong();
    this.sequence = new AtomicLong(random.getAsLong());
  }

  /** For what this caller wants. */
  Ticket of(Waiter waiter) {
    Terms terms = waiter.terms;
    return new Ticket(
        waiter.name,
        new LeaseId(client, sequence.incrementAndGet()),
        terms.mode(),
        terms.permits(),
        terms.limit(),
        terms.ttl(),
        waiter.intent,
        terms.fair(),
        identity.holder(waiter.thread, waiter.traceId));
  }
}
