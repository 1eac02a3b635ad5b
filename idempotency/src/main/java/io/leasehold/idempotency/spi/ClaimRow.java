package io.leasehold.idempotency.spi;

import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The data of a key in a store, and the rules by which the store answers. For stores that decide in
 * Java.
 *
 * @param owner the owner of the last claim
 * @param token the token of that claim
 * @param fingerprint the fingerprint of that claim
 * @param takenOver whether that claim took over a lapsed one
 * @param life the microseconds that the claim still lives; not positive if it has lapsed
 * @param keep the microseconds that the store still keeps it; not positive if the store may forget
 *     it
 * @param outcome the outcome of the work; null while the claim is not finished
 */
public record ClaimRow(
    String owner,
    long token,
    String fingerprint,
    boolean takenOver,
    long life,
    long keep,
    @Nullable Outcome outcome) {

  /** The answer to a request; empty if the request gets the claim. */
  public Optional<ClaimAnswer> answer(ClaimRequest request) {
    if (isGone()) {
      return absent(request);
    }
    if (outcome == null && owner.equals(request.owner()) && life > 0) {
      return Optional.of(new ClaimAnswer.Claimed(token, takenOver));
    }
    if (!fingerprint.equals(request.fingerprint())) {
      return Optional.of(new ClaimAnswer.OtherFingerprint());
    }
    if (outcome != null) {
      return Optional.of(new ClaimAnswer.Finished(outcome));
    }
    if (life > 0) {
      return Optional.of(new ClaimAnswer.Running(micros(life)));
    }
    boolean mayTakeOver = request.intent() == Intent.TAKE_OVER || owner.equals(request.owner());
    return mayTakeOver ? Optional.empty() : Optional.of(new ClaimAnswer.Lapsed(token));
  }

  /** The answer for an unknown key; empty if the request gets the claim. */
  public static Optional<ClaimAnswer> absent(ClaimRequest request) {
    return request.intent() == Intent.LOOK
        ? Optional.of(new ClaimAnswer.Absent())
        : Optional.empty();
  }

  /**
   * Whether a claim that replaces this row takes over a lapsed one. A caller that repeats its
   * request has not started its work.
   */
  public boolean isTakenOverBy(ClaimRequest request) {
    return !isGone() && (takenOver || !owner.equals(request.owner()));
  }

  private boolean isGone() {
    return keep <= 0 && life <= 0;
  }

  private static Duration micros(long micros) {
    return Duration.ofNanos(Math.multiplyExact(micros, 1000L));
  }
}
