package io.leasehold.sessions;

import io.leasehold.spi.support.Clock;
import java.time.Duration;

/**
 * How long the store certainly keeps a session: its ttl, counted from the send of an answered
 * request that prolonged it. Counted on the monotonic clock, but on the wall clock if that ran
 * ahead of it: the monotonic clock of a host that is suspended stands still. Thread-safe.
 */
public final class SessionLife {
  private static final long SUSPENDED_NANOS = 1_000_000_000;

  private final Clock clock;
  private final long ttlNanos;
  private final long settleNanos;

  private long provenNanos;
  private long provenMillis;

  /** The answered request that proves nothing yet; none if its time to settle is over. */
  private long pendingNanos;

  private long pendingMillis;
  private long pendingAnswered;

  /**
   * Begins now.
   *
   * @param settle zero if an answered request has prolonged the session by then. Otherwise how long
   *     it may take after the answer until it has; so a request counts once another one was sent
   *     that much later, and answered
   */
  public SessionLife(Clock clock, Duration ttl, Duration settle) {
    this.clock = clock;
    this.ttlNanos = ttl.toNanos();
    this.settleNanos = settle.toNanos();
    provenNanos = pendingNanos = pendingAnswered = clock.nanos();
    provenMillis = pendingMillis = clock.wallMillis();
  }

  /** The readings of both clocks when a request was sent. */
  public record Sent(long nanos, long millis) {}

  /** Read before a request is sent. */
  public Sent now() {
    return new Sent(clock.nanos(), clock.wallMillis());
  }

  /** A request that prolongs the session was answered. */
  public synchronized void answered(Sent sent) {
    if (settleNanos == 0) {
      prove(sent.nanos, sent.millis);
    } else if (sent.nanos - pendingAnswered >= settleNanos) {
      prove(pendingNanos, pendingMillis);
      pendingNanos = sent.nanos;
      pendingMillis = sent.millis;
      pendingAnswered = clock.nanos();
    }
  }

  private void prove(long nanos, long millis) {
    if (nanos - provenNanos >= 0) {
      provenNanos = nanos;
      provenMillis = millis;
    }
  }

  /** How long from now; zero or less if it may have ended. */
  public Duration left() {
    return Duration.ofNanos(leftNanos());
  }

  synchronized long leftNanos() {
    long passed = clock.nanos() - provenNanos;
    long byWall = (clock.wallMillis() - provenMillis) * 1_000_000;
    return ttlNanos - (byWall - passed > SUSPENDED_NANOS ? byWall : passed);
  }
}
