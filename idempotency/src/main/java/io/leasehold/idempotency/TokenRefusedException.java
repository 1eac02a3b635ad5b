package io.leasehold.idempotency;

import io.leasehold.idempotency.OneTimeTokens.Consumption;

/** A one-time token could not be consumed; the work did not run. */
public final class TokenRefusedException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  /** Why. */
  private final Consumption why;

  TokenRefusedException(Consumption why) {
    super(
        switch (why) {
          case ALREADY_USED -> "the token was used before";
          case EXPIRED -> "the token has expired; get a new one";
          case WRONG_SCOPE -> "the token was issued for something else";
          default -> "the token is not one of ours";
        },
        null);
    this.why = why;
  }

  /** Why. */
  public Consumption why() {
    return why;
  }
}
