package io.leasehold.idempotency;

import io.leasehold.idempotency.spi.Outcome;
import io.leasehold.idempotency.spi.Outcome.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Makes outcomes of what work yields or throws, and the other way round.
 *
 * @param codec of results
 * @param maxResult in bytes
 * @param what for messages
 */
record Outcomes<T>(Codec<T> codec, int maxResult, String what) {
  private static final int MAX_MESSAGE = 4000;

  /**
   * Of a result.
   *
   * @throws ResultUnavailableException if the codec fails
   */
  Outcome of(T value) {
    byte[] bytes;
    try {
      bytes = codec.encode(value);
    } catch (Exception e) {
      throw new ResultUnavailableException(
          what
              + ": the work was done, but its codec cannot write the result: "
              + e
              + "; later calls find an unknown outcome",
          e);
    }
    return bytes.length > maxResult
        ? new Outcome(
            Kind.TOO_LARGE, Integer.toString(bytes.length).getBytes(StandardCharsets.UTF_8))
        : new Outcome(Kind.VALUE, bytes);
  }

  static Outcome of(Throwable thrown, boolean poison) {
    String message = Objects.requireNonNullElse(thrown.getMessage(), "");
    String kept = message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) : message;
    return new Outcome(
        poison ? Kind.POISON : Kind.EXCEPTION,
        (thrown.getClass().getName() + "\n" + kept).getBytes(StandardCharsets.UTF_8));
  }

  /** What a later call gets. */
  T replay(Outcome outcome) {
    String text = outcome.kind() == Kind.VALUE ? "" : text(outcome);
    return switch (outcome.kind()) {
      case VALUE -> decoded(outcome);
      case TOO_LARGE ->
          throw new ResultUnavailableException(
              what
                  + ": the work was done, but its result of "
                  + text
                  + " bytes was too large to be kept; it is not done again",
              null);
      case EXCEPTION, POISON -> throw replayed(text, outcome.kind() == Kind.POISON);
    };
  }

  private ReplayedException replayed(String text, boolean poisoned) {
    int end = text.indexOf('\n');
    return new ReplayedException(
        what + (poisoned ? " was given up for good" : " ended with an exception"),
        text.substring(0, end),
        text.substring(end + 1),
        poisoned);
  }

  private T decoded(Outcome outcome) {
    try {
      return codec.decode(outcome.bytes());
    } catch (Exception e) {
      throw new ResultUnavailableException(
          what + ": the work was done, but its codec cannot read the result: " + e, e);
    }
  }

  private static String text(Outcome outcome) {
    return new String(outcome.bytes(), StandardCharsets.UTF_8);
  }
}
