package io.leasehold.idempotency.spi;

import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a store knows of a key, and the rules by which it answers. For stores that decide in Java.
 *
 * @param owner who claimed it last
 * @param token of that claim
 * @param fingerprint of what was to be done
 * @param takenOver whether that claim took over one that had lapsed
 * @param life how many microseconds the claim still lives; not positive if it has lapsed
 * @param keep how many microseconds it is still kept; not positive if it need not be known any more
 * @param outcome null while it is not finished
 */
public record ClaimRow(
    String owner,
    long token,
    String fingerprint,
    boolean takenOver,
    long life,
    long keep,
    @Nullable Outcome outcome) {

  /** The answer; empty if the request is to be given the claim. */
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

  /**
   * The answer where nothing is known of the key; empty if the request is to be given the claim.
   */
  public static Optional<ClaimAnswer> absent(ClaimRequest request) {
    return request.intent() == Intent.LOOK
        ? Optional.of(new ClaimAnswer.Absent())
        : Optional.empty();
  }

  /**
   * Whether the claim that is given over this row takes over one that had lapsed. A caller that
   * asks again for its own claim has not begun.
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
