package io.leasehold.sessions;

import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** What a store reported. */
final class RecordingListener implements StoreListener {
  final Queue<LeaseId> woken = new ConcurrentLinkedQueue<>();
  final Queue<LeaseId> lost = new ConcurrentLinkedQueue<>();

  /** The grants of which the store told by itself, and how old they were. */
  final Map<LeaseId, Granted> told = new ConcurrentHashMap<>();

  final Queue<Duration> ages = new ConcurrentLinkedQueue<>();

  /** What comes between such a grant and the reading of its age. */
  volatile Runnable pause = () -> {};

  @Override
  public void wake(LeaseId id) {
    woken.add(id);
  }

  @Override
  public void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
    pause.run();
    ages.add(age.get());
    told.put(id, granted);
  }

  @Override
  public void reconnected() {}

  @Override
  public void lost(Collection<LeaseId> ids) {
    lost.addAll(ids);
  }
}
