package io.leasehold;

/** How a lease shares its name with others. */
public enum LockMode {
  /** One lease holds the name alone. */
  EXCLUSIVE,
  /** Any number of shared leases hold the name together, but never with an exclusive one. */
  SHARED,
  /** Each lease holds some of a fixed number of permits. */
  PERMITS
}
