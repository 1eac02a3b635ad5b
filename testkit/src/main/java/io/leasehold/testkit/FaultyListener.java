package io.leasehold.testkit;

import io.leasehold.Finding;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;

/** What a client hears of a {@link FaultyStore}. */
final class FaultyListener implements StoreListener {
  private final FaultyStore faulty;
  private final StoreListener listener;

  FaultyListener(FaultyStore faulty, StoreListener listener) {
    this.faulty = faulty;
    this.listener = listener;
  }

  @Override
  public void wake(LeaseId id) {
    if (faulty.hearsWakeUps()) {
      listener.wake(id);
    }
  }

  @Override
  public void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
    if (faulty.hearsWakeUps()) {
      faulty.granted().add(id);
      listener.granted(id, granted, age);
    }
  }

  @Override
  public void wanted(LeaseId id) {
    if (faulty.isConnected()) {
      listener.wanted(id);
    }
  }

  @Override
  public void reconnected() {
    if (faulty.isConnected()) {
      listener.reconnected();
    }
  }

  @Override
  public void lost(Collection<LeaseId> ids) {
    if (faulty.isConnected()) {
      listener.lost(ids);
    }
  }

  @Override
  public void found(Finding finding) {
    listener.found(finding);
  }
}
