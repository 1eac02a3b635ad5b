package io.leasehold.cli;

import io.leasehold.LockKindException;
import io.leasehold.LockTimeoutException;
import io.leasehold.MissingTraitException;
import io.leasehold.StoreException;
import io.leasehold.Trait;

/**
 * The exit codes of the command: those of {@code sysexits.h} where one fits, a shell's elsewhere.
 */
final class ExitCode {
  static final int OK = 0;

  /** {@code who}, of a name without a holder or a waiter. */
  static final int FREE = 1;

  /** {@code break} of a lease that is not there. */
  static final int NOT_CURRENT = 1;

  /** {@code once --forget} of a key that is not known. */
  static final int NOT_KNOWN = 1;

  /** {@code doctor} found an error. */
  static final int UNSOUND = 1;

  /**
   * The arguments make no sense: also an unknown store scheme, a bad name, or one that is in use as
   * a lock of another kind.
   */
  static final int USAGE = 64;

  /** The store cannot be reached. */
  static final int UNAVAILABLE = 69;

  /** A defect of this tool. */
  static final int INTERNAL = 70;

  /** Not acquired in time. */
  static final int TIMEOUT = 75;

  /** The lease was lost while the command ran. */
  static final int LOST = 76;

  /** The store refused: password, privilege. */
  static final int REFUSED = 77;

  /** The store lacks a trait, and that was not accepted. */
  static final int MISSING_TRAIT = 78;

  /** {@code once}: the command began, and how it ended is not known. */
  static final int UNKNOWN = 79;

  /** The command was found and cannot be executed. */
  static final int NOT_EXECUTABLE = 126;

  /** The command was not found. */
  static final int NOT_FOUND = 127;

  private ExitCode() {}

  /** As a shell reports a process that a signal ended. */
  static int signalled(int number) {
    return 128 + number;
  }

  /** What a failure of the library means for the caller of the command. */
  static int of(Exception failure) {
    if (failure instanceof UsageException
        || failure instanceof IllegalArgumentException
        || failure instanceof LockKindException) {
      return USAGE;
    }
    if (failure instanceof MissingTraitException
        || failure instanceof UnsupportedOperationException) {
      return MISSING_TRAIT;
    }
    if (failure instanceof LockTimeoutException) {
      return TIMEOUT;
    }
    if (failure instanceof StoreException store) {
      return store.failure() == StoreException.Failure.REFUSED ? REFUSED : UNAVAILABLE;
    }
    return INTERNAL;
  }

  /**
   * The same of a wait for the lock: where the store has answered, that it was not reached at the
   * end means only that the lock did not come in time. So does a store that others kept busy.
   */
  static int ofWait(Exception failure, boolean answered) {
    boolean busy =
        failure instanceof StoreException store && store.failure() == StoreException.Failure.BUSY;
    int code = of(failure);
    return busy || (code == UNAVAILABLE && answered) ? TIMEOUT : code;
  }

  /** The library's reason, without what only a programmer can do about it. */
  static String reason(Exception e) {
    String message = String.valueOf(e.getMessage());
    if (e instanceof LockTimeoutException) {
      int advice = message.lastIndexOf("; ");
      return advice < 0 ? message : message.substring(0, advice);
    }
    if (e instanceof MissingTraitException missing && missing.trait() == Trait.FIFO) {
      return "this store keeps no queue: leave out --fair, or take a store that does";
    }
    return message;
  }
}
