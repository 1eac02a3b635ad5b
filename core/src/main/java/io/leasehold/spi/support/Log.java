package io.leasehold.spi.support;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * What the engine and its stores log, under {@code io.leasehold}. Looked up on first use: starting
 * a logging framework is slow. A logger that throws stops nothing: where it was called, a caller, a
 * lease or another listener depends on what comes next.
 */
public final class Log {
  private Log() {}

  /** Something an operator should know of. */
  public static void warn(String message) {
    log(Level.WARNING, message, null);
  }

  /** Something went wrong in the engine, a store, or code of the user that it ran. */
  public static void error(String message, Throwable cause) {
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
  public static void guarded(String what, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      error(what, e);
    }
  }
}
