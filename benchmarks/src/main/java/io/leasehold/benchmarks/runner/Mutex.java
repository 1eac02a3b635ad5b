package io.leasehold.benchmarks.runner;

import java.util.concurrent.locks.Lock;

/** What is measured of any lock. */
public interface Mutex {
  /** Takes it, however long that takes. */
  void lock();

  /** Ends what the same thread took. */
  void unlock();

  /** Of a lock of the JDK's kind, which all libraries have. */
  static Mutex of(Lock lock) {
    return new Mutex() {
      @Override
      public void lock() {
        lock.lock();
      }

      @Override
      public void unlock() {
        lock.unlock();
      }
    };
  }
}
