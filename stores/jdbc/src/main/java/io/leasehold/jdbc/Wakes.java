package io.leasehold.jdbc;

import io.leasehold.spi.Ticket;
import io.leasehold.spi.Watch;

/** How tickets that wait are told that they may attempt again. Thread-safe. */
interface Wakes extends AutoCloseable {
  /** No ticket is told: the engine polls. */
  Wakes NONE =
      new Wakes() {
        @Override
        public Watch watch(Limit limit, Ticket ticket) {
          return Watch.ATTEMPT_AGAIN;
        }

        @Override
        public void forget(Ticket ticket) {}

        @Override
        public void close() {}
      };

  /** From now on the ticket is told. */
  Watch watch(Limit limit, Ticket ticket);

  /** It waits no longer. */
  void forget(Ticket ticket);

  /** Ends in bounded time. Idempotent. */
  @Override
  void close();
}
