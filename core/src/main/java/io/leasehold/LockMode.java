package io.leasehold;

/** How a lease shares its name with others. */
public enum LockMode {
  /** Alone. */
  EXCLUSIVE,
  /** Beside other shared leases, never beside an exclusive one. */
  SHARED,
  /** Some of a fixed number of permits. */
  PERMITS
}
