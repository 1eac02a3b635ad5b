package io.leasehold.sessions;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What a store reported. */
final class RecordingListener implements StoreListener {
  final Queue<LeaseId> woken = new ConcurrentLinkedQueue<>();
  final Queue<LeaseId> lost = new ConcurrentLinkedQueue<>();

  @Override
  public void wake(LeaseId id) {
    woken.add(id);
  }

  @Override
  public void reconnected() {}

  @Override
  public void lost(Collection<LeaseId> ids) {
    lost.addAll(ids);
  }
}
