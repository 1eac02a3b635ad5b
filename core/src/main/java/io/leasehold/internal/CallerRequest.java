package io.leasehold.internal;

/** A request for a caller: made on the caller's own thread, or on one of the engine's. */
interface CallerRequest extends Runnable {
  /** Makes it on the calling thread. Without the mutex. */
  @Override
  void run();

  /** Makes it on a thread of the engine's. Without the mutex. */
  void runElsewhere();
}
