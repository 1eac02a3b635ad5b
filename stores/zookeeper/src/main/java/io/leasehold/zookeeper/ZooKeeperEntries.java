package io.leasehold.zookeeper;

import io.leasehold.Finding;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.EntryStore;
import io.leasehold.sessions.Session;
import io.leasehold.sessions.SessionLockStore;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The sessions of one client: one for each ttl, and one for what has no ttl. Thread-safe. */
final class ZooKeeperEntries implements EntryStore {
  /** The ttl that no caller chose, which servers take as they come. */
  private static final Duration USUAL = Duration.ofSeconds(30);

  /** Two servers that say nothing may be asked before one that does. */
  private static final Duration OPENING = Duration.ofSeconds(10);

  /**
   * With a beat in each third of the ttl: one third has passed when a beat is answered, another one
   * when the next proves it. The rest is for the way, and the doubt about the clocks.
   */
  private static final int YIELD_PERCENT = 30;

  private final Connection.Setting setting;
  private final StoreListener listener;
  private final Clock clock = new SystemClock();
  private final Scheduler scheduler = new Threads();
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private volatile Connection first;
  private volatile @Nullable Traits traits;

  private ZooKeeperEntries(Connection.Setting setting, StoreListener listener) {
    this.setting = setting;
    this.listener = listener;
    this.first = connect(USUAL, OPENING);
  }

  static StoreFactory factory(Connection.Setting setting) {
    return listener -> {
      ZooKeeperEntries store = new ZooKeeperEntries(setting, listener);
      try {
        store.awaitFirst();
        return new SessionLockStore(store, listener, store.clock, store.scheduler);
      } catch (StoreException e) {
        store.close();
        store.scheduler.close();
        throw e;
      }
    };
  }

  private void awaitFirst() {
    Duration late = OPENING.multipliedBy(2); // it ends by itself before
    Duration ttl = TimedJoin.ofOpening(setting.where(), first.ready, late).ttl();
    Duration shortest = setting.shared() ? ttl : Duration.ofMillis(500);
    Duration longest = setting.shared() ? ttl : Duration.ofHours(1);
    // When the leader changes, a session has all its time again
    Limits limits =
        new Limits(shortest, longest, Duration.ofMillis(1), YIELD_PERCENT, extra -> extra);
    Layout layout = setting.tree().layout();
    String store = layout == Layout.OWN ? "zookeeper" : "zookeeper (layout=" + layout + ")";
    traits = EntryStore.traits(store, layout.modes(), limits, Trait.SURVIVES_RESTART);
  }

  private Connection connect(Duration ttl, Duration within) {
    connections.removeIf(each -> !each.stands());
    Connection made = new Connection(setting, ttl, listener::reconnected, clock, scheduler);
    connections.add(made);
    return made.open(within);
  }

  @Override
  public Traits traits() {
    return Objects.requireNonNull(traits);
  }

  @Override
  public int mostTogether() {
    return ZooKeeperSession.MOST_TOGETHER;
  }

  @Override
  public CompletionStage<Session> open(Duration ttl, Runnable ended, Duration within) {
    Connection known = first;
    Connection one = known.serves(ttl) ? known : connect(ttl, within);
    one.onEnd(ended);
    if (one == known) {
      CompletionStage<Void> unused = one.ready.thenCompose(session -> session.beat(within));
    }
    return one.proved.whenComplete(
        (session, failed) -> {
          if (failed != null) {
            CompletableFuture<Boolean> unused = one.close();
          }
        });
  }

  /** For the requests of operators. */
  private CompletableFuture<ZooKeeperSession> session(Duration within) {
    Connection known = first;
    if (!known.stands()) {
      known = connect(USUAL, within);
      first = known;
    }
    return known.ready;
  }

  @Override
  public CompletionStage<List<Entry>> list(Optional<String> name, Duration within) {
    return session(within).thenCompose(session -> session.list(name));
  }

  @Override
  public CompletionStage<Boolean> remove(Entry entry, Duration within) {
    return session(within).thenCompose(session -> session.leave(entry, within));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return session(within)
        .thenCompose(ZooKeeperSession::servers)
        // One that is alone tells of none
        .thenApply(servers -> List.of(EntryStore.quorum("ensemble", Math.max(1, servers))));
  }

  @Override
  public void close() {
    TimedJoin.ofClosing(connections.stream().map(Connection::close).toList());
  }
}
