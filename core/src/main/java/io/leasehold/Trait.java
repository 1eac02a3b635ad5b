package io.leasehold;

/**
 * What a store promises beyond mutual exclusion. A store declares its traits; a client refuses,
 * when it is built, a store that lacks one it needs, and says what to write to accept that.
 */
public enum Trait {
  /**
   * Every grant carries a fencing token that strictly rises per name. Required unless {@link
   * LockClientBuilder#acceptUnfenced()} says otherwise.
   */
  FENCING,
  /**
   * The store keeps a queue: {@linkplain LockOptions#fair() fair} waiters are served in order
   * across processes.
   */
  FIFO,
  /**
   * Every verb takes effect at one instant between its request and its answer, for all clients of
   * the store.
   */
  LINEARIZABLE,
  /** Held leases and fencing tokens survive a restart of the store. */
  SURVIVES_RESTART,
  /** Held leases and fencing tokens survive the loss of the store's primary node. */
  SURVIVES_FAILOVER
}
