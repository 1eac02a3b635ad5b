package io.leasehold.testkit.simulation;

/** What is thrown in a simulation by what keeps no promise: a store, or code of the user. */
final class SimulatedFaults {
  private SimulatedFaults() {}

  /** A store or the user's code has a bug. */
  static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failed(String who) {
      super(who + " failed", null, false, false);
    }
  }

  /** A store, or the user's code, comes upon a missing class, or has no memory left. */
  static final class Broken extends LinkageError {
    private static final long serialVersionUID = 1L;

    Broken(String who) {
      super(who + " broke");
    }
  }

  /** The process has no thread left. */
  static final class NoThread extends OutOfMemoryError {
    private static final long serialVersionUID = 1L;

    NoThread() {
      super("unable to create native thread (simulated)");
    }
  }

  /** Whether this, or what it was caused by, was made here. */
  static boolean isOurs(Throwable thrown) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (t instanceof Failed || t instanceof Broken || t instanceof NoThread) {
        return true;
      }
    }
    return false;
  }
}
