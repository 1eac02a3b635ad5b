package io.leasehold.cli;

/** The arguments make no sense. The message says which, and what would. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
