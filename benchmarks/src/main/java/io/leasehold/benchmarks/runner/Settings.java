package io.leasehold.benchmarks.runner;

import java.time.Duration;

/**
 * How much is measured.
 *
 * @param length of each measurement of time
 * @param warmUp of each before the first round, so that its code is compiled: thousands of calls
 * @param pairs how many are counted at the server
 * @param leases how many are held
 * @param heldTtl of those; a third of it is their renewal period
 */
public record Settings(Duration length, Duration warmUp, int pairs, int leases, Duration heldTtl) {
  /** Those of the warm-up. */
  Settings warmingUp() {
    return new Settings(warmUp, warmUp, pairs, leases, heldTtl);
  }

  /** The same with another warm-up. */
  public Settings warmingUpFor(Duration time) {
    return new Settings(length, time, pairs, leases, heldTtl);
  }

  /** Of what is held. */
  public Duration renewalPeriod() {
    return heldTtl.dividedBy(3);
  }
}
