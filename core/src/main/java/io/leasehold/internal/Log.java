package io.leasehold.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * What the engine logs, under {@code io.leasehold}. Looked up on first use: starting a logging
 * framework is slow.
 */
final class Log {
  private Log() {}

  static void warn(String message) {
    logger().log(Level.WARNING, message);
  }

  static void error(String message, Throwable cause) {
    logger().log(Level.ERROR, message, cause);
  }

  /** Runs what must not stop what comes after it; what it throws is logged. */
  static void guarded(String what, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      error(what, e);
    }
  }

  private static Logger logger() {
    return System.getLogger("io.leasehold");
  }
}
