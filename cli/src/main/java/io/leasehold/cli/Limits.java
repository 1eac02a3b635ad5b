package io.leasehold.cli;

import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * When a lease, granted just now, makes the command end. In nanoseconds.
 *
 * @param margin how long before the end of its validity the command is killed: what the kill itself
 *     may take
 * @param lead how long before the end of its longest life the command is asked to end
 * @param end when its longest life is over, by the clock that read {@code granted}
 * @param maxHold its longest life
 */
record Limits(long margin, long lead, long end, Optional<Duration> maxHold) {
  private static final long LONGEST_MARGIN = Duration.ofSeconds(1).toNanos();
  private static final long SHORTEST_MARGIN = Duration.ofMillis(20).toNanos();

  /**
   * A third of a ttl ahead of the longest life the command is asked; of a life shorter than a ttl,
   * a third of that.
   */
  static Limits of(Duration ttl, Optional<Duration> maxHold, long granted) {
    long longest = maxHold.map(Durations::nanos).orElse(Long.MAX_VALUE / 4);
    long shorter = Math.min(Durations.nanos(ttl), longest);
    long margin = Math.max(SHORTEST_MARGIN, Math.min(LONGEST_MARGIN, shorter / 10));
    return new Limits(margin, shorter / 3, granted + longest, maxHold);
  }

  /** For messages. */
  String longestLife() {
    return "its longest life" + maxHold.map(most -> " of " + Durations.show(most)).orElse("");
  }
}
