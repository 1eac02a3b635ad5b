package io.leasehold.cli;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** What is held and waited for, for a program. */
final class HeldJson {
  private final Instant now;
  private final Json json;

  HeldJson(Instant now, Json json) {
    this.now = now;
    this.json = json;
  }

  void add(LockSnapshot lock) {
    json.beginObject().name("name").value(lock.name()).name("holders").beginArray();
    for (LockSnapshot.Holder h : lock.holders()) {
      json.beginObject();
      common(h.leaseId(), h.holder(), h.mode(), h.heldFor());
      json.name("permits").value(h.permits());
      json.name("token").value(Long.toString(h.fencingToken()));
      json.name("heldForMillis").value(h.heldFor().toMillis());
      json.name("remainingMillis").value(h.remaining().toMillis());
      json.endObject();
    }
    json.endArray().name("waiters").beginArray();
    for (LockSnapshot.Waiter w : lock.waiters()) {
      json.beginObject();
      common(w.leaseId(), w.holder(), w.mode(), w.waitedFor());
      json.name("waitedForMillis").value(w.waitedFor().toMillis());
      json.endObject();
    }
    json.endArray().endObject();
  }

  private void common(String leaseId, String holder, LockMode mode, Duration ago) {
    json.name("leaseId").value(leaseId);
    json.name("holder").value(holder);
    json.name("mode").value(mode.name().toLowerCase(Locale.ROOT));
    json.name("since").value(now.minus(ago).truncatedTo(ChronoUnit.MILLIS).toString());
  }
}
