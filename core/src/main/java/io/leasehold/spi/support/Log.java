package io.leasehold.spi.support;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * The log of the engine and its stores, under the name {@code io.leasehold}. The logger is looked
 * up on first use, because starting a logging framework is slow. An exception of the logger is
 * ignored: a caller, a lease or another listener depends on the code after the log call.
 */
public final class Log {
  private Log() {}

  /** Logs a warning for the operator. */
  public static void warn(String message) {
    log(Level.WARNING, message, null);
  }

  /** Logs a failure of the engine, a store, or application code that the engine ran. */
  public static void error(String message, Throwable cause) {
    log(Level.ERROR, message, cause);
  }

  /** Logs what went wrong and needs nothing done, for a search after a cause. */
  public static void debug(String message, Throwable cause) {
    log(Level.DEBUG, message, cause);
  }

  private static void log(Level level, String message, @Nullable Throwable cause) {
    try {
      System.getLogger("io.leasehold").log(level, message, cause);
    } catch (RuntimeException | Error e) {
      // There is no other place to report it
    }
  }

  /** Runs a task whose failure must not stop the caller; logs its exception with {@code what}. */
  public static void guarded(String what, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      error(what, e);
    }
  }
}
