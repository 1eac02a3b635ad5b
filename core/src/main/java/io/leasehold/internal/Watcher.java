package io.leasehold.internal;

import io.leasehold.event.LockEvent.Lost.Reason;
import java.time.Duration;

/** Learns what becomes of one lease, in order and under its queue's mutex. */
interface Watcher {
  void endangered(Duration left);

  void rescued();

  void lost(Reason reason);

  void released();
}
