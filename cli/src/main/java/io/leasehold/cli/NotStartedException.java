package io.leasehold.cli;

/** The command to run does not exist or cannot be executed. */
final class NotStartedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  NotStartedException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** What a shell would return. */
  int exitCode() {
    return exitCode;
  }
}
