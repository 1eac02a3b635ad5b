package io.leasehold.benchmarks.redis;

import java.time.Duration;

/**
 * How much is measured.
 *
 * @param length of each measurement of time
 * @param pairs how many are counted at the server
 * @param leases how many are held
 * @param heldTtl of those; a third of it is their renewal period
 */
record Settings(Duration length, int pairs, int leases, Duration heldTtl) {
  /** What the targets are about. */
  static Settings full(Duration length) {
    return new Settings(length, 500, 20_000, Duration.ofSeconds(6));
  }

  Settings withLength(Duration newLength) {
    return new Settings(newLength, pairs, leases, heldTtl);
  }

  Duration renewalPeriod() {
    return heldTtl.dividedBy(3);
  }
}
