package io.leasehold.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Once there are connections again after some ended, tells that the server may be another.
 * Thread-safe.
 */
final class Reconnects {
  private final List<JedisListening> listenings = new CopyOnWriteArrayList<>();
  private final AtomicBoolean broken = new AtomicBoolean();
  private final AtomicBoolean demoted = new AtomicBoolean();
  private volatile Runnable told = () -> {};

  void onReconnect(Runnable newTold) {
    told = newTold;
  }

  void add(JedisListening listening) {
    listenings.add(listening);
  }

  /** A connection ended. */
  void broke() {
    broken.set(true);
  }

  /** The server said that it is no primary. */
  void demoted() {
    demoted.set(true);
  }

  /** A connection was made. On a thread that may send. */
  void made() {
    if (demoted.getAndSet(false)) {
      listenings.forEach(JedisListening::renew);
    }
    if (broken.getAndSet(false)) {
      told.run();
    }
  }

  void close() {
    listenings.forEach(JedisListening::close);
  }
}
