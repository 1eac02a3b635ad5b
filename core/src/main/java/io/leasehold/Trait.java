package io.leasehold;

/**
 * What a store promises beyond mutual exclusion. A store declares its traits. {@link
 * LockClientBuilder#build()} refuses a store that lacks a required one, and its message says which
 * setting accepts such a store.
 */
public enum Trait {
  /**
   * Every grant of a name carries a higher fencing token than the grant before. Required unless
   * {@link LockClientBuilder#acceptUnfenced()} is set.
   */
  FENCING,
  /**
   * The store keeps a queue: {@linkplain LockOptions#fair() fair} waiters are served in order
   * across processes.
   */
  FIFO,
  /**
   * Every request takes effect at one instant between its start and its answer, for all clients of
   * the store.
   */
  LINEARIZABLE,
  /** Held leases and fencing tokens survive a restart of the store. */
  SURVIVES_RESTART,
  /** Held leases and fencing tokens survive the loss of the store's primary node. */
  SURVIVES_FAILOVER
}
