package io.leasehold.testkit;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import java.util.Collection;

/** For tests that open a store themselves and need none of its reports. */
public final class DeafListener implements StoreListener {
  @Override
  public void wake(LeaseId id) {}

  @Override
  public void reconnected() {}

  @Override
  public void lost(Collection<LeaseId> ids) {}
}
