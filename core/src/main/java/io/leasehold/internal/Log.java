package io.leasehold.internal;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * What the engine logs, under {@code io.leasehold}. Looked up on first use: starting a logging
 * framework is slow. A logger that throws stops nothing: where it was called, a caller, a lease or
 * another listener depends on what comes next.
 */
final class Log {
  private Log() {}

  static void warn(String message) {
    log(Level.WARNING, message, null);
  }

  static void error(String message, Throwable cause) {
    log(Level.ERROR, message, cause);
  }

  private static void log(Level level, String message, @Nullable Throwable cause) {
    try {
      System.getLogger("io.leasehold").log(level, message, cause);
    } catch (RuntimeException | Error e) {
      // There is no other place to tell it
    }
  }

  /** Runs what must not stop what comes after it; what it throws is logged. */
  static void guarded(String what, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      error(what, e);
    }
  }
}
