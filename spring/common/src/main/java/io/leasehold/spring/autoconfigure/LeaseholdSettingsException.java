package io.leasehold.spring.autoconfigure;

/**
 * The store of the locks cannot be found: the message says why, and {@link #action()} what to
 * write.
 */
public final class LeaseholdSettingsException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final String action;

  LeaseholdSettingsException(String message, String action) {
    super(message);
    this.action = action;
  }

  /** What to write. */
  public String action() {
    return action;
  }
}
