package io.leasehold.testkit;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The threads of a proxy: they read from sockets that block. */
final class ProxyThreads {
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

  void start(String name, Runnable work) {
    threads.removeIf(thread -> !thread.isAlive());
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    threads.add(thread);
  }

  /** Returns when all have ended, also those that are started meanwhile by one of them. */
  void join(Duration patience) {
    for (Thread thread = threads.poll(); thread != null; thread = threads.poll()) {
      join(thread, patience);
    }
  }

  private static void join(Thread thread, Duration patience) {
    try {
      thread.join(patience.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the proxy ends", e);
    }
    if (thread.isAlive()) {
      throw new IllegalStateException(thread.getName() + " does not end");
    }
  }
}
