package io.leasehold.benchmarks.runner;

import java.time.Duration;

/**
 * How much is measured.
 *
 * @param length of each measurement of time
 * @param pairs how many are counted at the server
 * @param leases how many are held
 * @param heldTtl of those; a third of it is their renewal period
 */
public record Settings(Duration length, int pairs, int leases, Duration heldTtl) {
  Settings withLength(Duration newLength) {
    return new Settings(newLength, pairs, leases, heldTtl);
  }

  /** Of what is held. */
  public Duration renewalPeriod() {
    return heldTtl.dividedBy(3);
  }
}
