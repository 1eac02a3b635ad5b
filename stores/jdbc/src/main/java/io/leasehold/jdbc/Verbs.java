package io.leasehold.jdbc;

import io.leasehold.Finding;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * What the verbs of the SPI do to the rows of one database, as calls that block for no longer than
 * their limit and fail with {@link StoreException}. Thread-safe.
 */
interface Verbs extends AutoCloseable {
  Attempt attempt(Limit limit, Ticket ticket);

  /** Whether the ticket waits: it was answered, and outlasts what fails from then on. */
  default boolean isWaiting(Ticket ticket) {
    return false;
  }

  /**
   * Removes whatever the id holds or waits under.
   *
   * @param underWay whether an attempt of it has not ended
   * @return whether nothing of it can be granted any more
   */
  boolean withdraw(Limit limit, Ticket ticket, boolean underWay);

  /** Frees the lease of this id; whether there was one. */
  boolean free(Limit limit, Ticket ticket);

  void renew(Limit limit, List<Ticket> tickets, BiConsumer<LeaseId, Renewal> each);

  List<LockSnapshot> list(Limit limit, Optional<String> name);

  /** Frees the lease with this number; whether there was one. */
  boolean breakLease(Limit limit, String name, long number);

  List<Finding> diagnose(Limit limit);

  /**
   * Removes rows that are no longer used, if no caller has to wait for that. It can wait until the
   * next time.
   */
  void sweep();

  /** Ends the connections, in bounded time. Idempotent. */
  @Override
  void close();
}
