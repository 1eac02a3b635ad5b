package io.leasehold.internal;

import io.leasehold.Finding;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.spi.Attempt.Granted;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** Takes what an open store reports to whom it concerns. */
final class StoreReports implements StoreListener {
  private final Engine engine;

  StoreReports(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void wake(LeaseId id) {
    Contender contender = engine.contenders.get(id);
    if (contender != null) {
      contender.queue().locked(contender::wake);
    }
  }

  @Override
  public void granted(LeaseId id, Granted granted, Supplier<Duration> age) {
    Contender contender = engine.contenders.get(id);
    if (contender != null) {
      Validity validity = Validity.told(engine.clock, age, granted.remaining());
      contender.queue().locked(steps -> contender.told(granted, validity, steps));
    }
  }

  @Override
  public void wanted(LeaseId id) {
    // It may come before the answer to the attempt that was granted
    Contender contender = engine.contenders.get(id);
    if (contender != null) {
      contender.queue().locked(steps -> contender.wantedNow());
    }
    Grant grant = engine.keeper.find(id);
    if (grant != null) {
      grant.queue.locked(steps -> grant.wantedNow());
    }
  }

  @Override
  public void reconnected() {
    engine.wordsCountFrom = engine.clock.nanos();
    for (Contender contender : List.copyOf(engine.contenders.values())) {
      contender.queue().locked(contender::reconnected);
    }
  }

  @Override
  public void lost(Collection<LeaseId> ids) {
    for (LeaseId id : ids) {
      Contender contender = engine.contenders.get(id);
      if (contender != null) {
        contender.queue().locked(contender::sessionEnded);
      }
      Grant grant = engine.keeper.find(id);
      if (grant != null) {
        grant.queue.locked(steps -> grant.queue.leases.lose(grant, Reason.SESSION_ENDED, steps));
      }
    }
  }

  @Override
  public void found(Finding finding) {
    if (finding.level() != Finding.Level.OK) {
      engine.events.emit(() -> new LockEvent.StoreWarning(finding));
    }
  }
}
