package io.leasehold.testkit;

import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who is connected to a server, and which of them is told of what. Guarded by the server's mutex.
 */
final class Connections {
  private final Map<InMemoryStore, StoreListener> listeners = new HashMap<>();
  private final Map<LeaseId, InMemoryStore> watches = new HashMap<>();

  /** By which connection a client was last heard of. */
  private final Map<Long, InMemoryStore> owners = new HashMap<>();

  /** The last one of them. */
  private @Nullable InMemoryStore lastOwner;

  private long lastClient;

  void add(InMemoryStore store, StoreListener listener) {
    listeners.put(store, listener);
  }

  void remove(InMemoryStore store) {
    listeners.remove(store);
    watches.values().removeIf(store::equals);
    owners.values().removeIf(store::equals);
    lastOwner = null;
  }

  List<StoreListener> all() {
    return List.copyOf(listeners.values());
  }

  void heardOf(long client, InMemoryStore store) {
    if (lastOwner != store || lastClient != client) {
      owners.put(client, store);
      lastOwner = store;
      lastClient = client;
    }
  }

  void watch(LeaseId id, InMemoryStore store) {
    watches.put(id, store);
  }

  boolean isAnyWatched() {
    return !watches.isEmpty();
  }

  void unwatch(LeaseId id) {
    watches.remove(id);
  }

  void forgetWatches() {
    watches.clear();
  }

  /** The calls that bring these reports to whom they concern. */
  List<Runnable> calls(List<LockTable.Report> reports, Clock clock) {
    if (reports.isEmpty()) {
      return List.of();
    }
    List<Runnable> calls = new ArrayList<>();
    for (LockTable.Report report : reports) {
      LeaseId id = report.id();
      boolean ofHolder = report instanceof LockTable.Lost || report instanceof LockTable.Wanted;
      InMemoryStore store = ofHolder ? owners.get(id.client()) : watches.get(id);
      StoreListener listener = store == null ? null : listeners.get(store);
      if (store == null || listener == null) {
        continue;
      }
      if (report instanceof LockTable.Told told) {
        calls.add(
            () -> {
              store.told(id, told.granted().number());
              listener.granted(
                  id, told.granted(), () -> Duration.ofNanos(clock.nanos() - told.at()));
            });
      } else if (report instanceof LockTable.Wanted) {
        calls.add(() -> listener.wanted(id));
      } else if (report instanceof LockTable.Lost) {
        calls.add(() -> listener.lost(List.of(id)));
      } else {
        calls.add(() -> listener.wake(id));
      }
    }
    return calls;
  }
}
