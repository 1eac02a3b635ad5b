package io.leasehold.peers;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

/**
 * What a library has for one lease of one lock, called as its documentation says, by one thread.
 * What it does not have stays unsupported, which counts as not claimed.
 */
interface Mutex {
  /** Waits for the lock. */
  default void lock() throws Exception {
    throw new UnsupportedOperationException("it does not wait");
  }

  /** Tries once. */
  boolean tryLock() throws Exception;

  /** Waits so long at most. */
  default boolean tryLock(Duration maxWait) throws Exception {
    throw new UnsupportedOperationException("it does not wait");
  }

  /** Lets it go. Throws if the library says that it was not held. */
  void unlock() throws Exception;

  /** Whether the library says that it is held. */
  default boolean isHeld() throws Exception {
    throw new UnsupportedOperationException("nothing tells a holder whether it still holds");
  }

  /** How long it still lives by itself. */
  default Duration remaining() throws Exception {
    throw new UnsupportedOperationException("nothing tells how long a lease lives");
  }

  /** The fencing token. */
  default long token() {
    throw new UnsupportedOperationException("it has no fencing tokens");
  }

  /** Runs this when the lock is lost. */
  default void onLost(Runnable callback) {
    throw new UnsupportedOperationException("it does not tell of a loss");
  }

  /** The library's own {@link Lock}. */
  default Lock asLock() {
    throw new UnsupportedOperationException("it is no java.util.concurrent.locks.Lock");
  }

  /** Whether the thread that holds it may enter it again. */
  default boolean isReentrant() {
    return true;
  }

  /** Starts to wait without a thread. */
  default Pending tryLockLater(Duration maxWait) {
    throw new UnsupportedOperationException("it has no asynchronous wait");
  }

  /** An asynchronous wait. */
  interface Pending {
    /** Tells of its end: whether it was granted, or what failed. */
    void whenDone(java.util.function.BiConsumer<Boolean, Throwable> told);

    /** Gives it up; false if it had ended. */
    boolean cancel();
  }
}
