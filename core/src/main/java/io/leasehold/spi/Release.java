package io.leasehold.spi;

/** The answer to {@link LockStore#release}. */
public enum Release {
  /** The lease was this ticket's and is now free. */
  RELEASED,
  /** Nothing was held under this id. Nothing was changed. */
  NOT_HELD
}
