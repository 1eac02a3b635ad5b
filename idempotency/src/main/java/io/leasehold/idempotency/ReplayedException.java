package io.leasehold.idempotency;

/**
 * An earlier call with this key ended with an exception, which this call replays. This call did
 * nothing.
 */
public final class ReplayedException extends IdempotencyException {
  private static final long serialVersionUID = 1L;

  /** The class of the exception. */
  private final String type;

  /** Its message. */
  private final String originalMessage;

  /** Whether the key must not be used again. */
  private final boolean poisoned;

  ReplayedException(String what, String type, String originalMessage, boolean poisoned) {
    super(what + ": " + type + ": " + originalMessage, null);
    this.type = type;
    this.originalMessage = originalMessage;
    this.poisoned = poisoned;
  }

  /** The name of the class of the exception that the work threw. */
  public String type() {
    return type;
  }

  /** The message of that exception; empty if it had none. */
  public String originalMessage() {
    return originalMessage;
  }

  /** Whether the work must never run again ({@link AfterException#POISON}). */
  public boolean isPoisoned() {
    return poisoned;
  }
}
