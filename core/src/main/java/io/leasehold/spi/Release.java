package io.leasehold.spi;

/** The answer to {@link LockStore#release}. */
public enum Release {
  /** The ticket held the lease, which is now free. */
  RELEASED,
  /** The id held no lease. Nothing changed. */
  NOT_HELD
}
