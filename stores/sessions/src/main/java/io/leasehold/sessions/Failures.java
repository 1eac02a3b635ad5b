package io.leasehold.sessions;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.util.concurrent.CompletionException;

/** What the failure of a request says. Stateless and thread-safe. */
public final class Failures {
  private Failures() {}

  private static Throwable cause(Throwable failed) {
    Throwable cause = failed.getCause();
    return failed instanceof CompletionException && cause != null ? cause : failed;
  }

  /** Whether the request may have taken effect, or may do so later. */
  public static boolean mayHaveTakenEffect(Throwable failed) {
    return !(cause(failed) instanceof StoreException known)
        || known.failure() == Failure.UNKNOWN_OUTCOME;
  }

  /** The failure of a later request of an acquisition whose entry was made. */
  static StoreException afterEntering(Throwable failed) {
    Throwable cause = cause(failed);
    return cause instanceof StoreException known && mayHaveTakenEffect(known)
        ? known
        : new StoreException(Failure.UNKNOWN_OUTCOME, String.valueOf(cause.getMessage()), cause);
  }

  /** The answer whether a session still lives came too late, or not. */
  static StoreException sessionInDoubt() {
    return new StoreException(
        Failure.UNKNOWN_OUTCOME,
        "the session may have ended: the store has not prolonged it in time",
        null);
  }
}
