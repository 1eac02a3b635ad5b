package io.leasehold.zookeeper;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Session;
import io.leasehold.sessions.SessionLife;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/** One session with the servers, from its opening to its end. Thread-safe. */
final class Connection implements Watcher {
  /**
   * A handle of the client library, which may not be connected yet.
   *
   * @param login proves once it is connected who the client is
   */
  record Handle(ZooKeeper zk, Runnable login, Ending ending) {}

  /** Ends what was opened for a handle; may block. */
  interface Ending {
    void run() throws InterruptedException;
  }

  /** Gives a handle for a ttl, which tells the watcher about the state of its connection. */
  interface Source {
    Handle open(Duration ttl, Watcher watcher);
  }

  /**
   * What all connections of a client share.
   *
   * @param where the servers, for messages
   * @param shared whether the session is that of the application
   * @param acls the access to the node of a path
   */
  record Setting(
      String where, boolean shared, Source source, Tree tree, Function<String, List<ACL>> acls) {}

  private static final Duration LONGEST_SETTLE = Duration.ofSeconds(2);

  /** A beat at once, and the next a third of the ttl later, which proves the first. */
  private static final int LEAST_LEFT_PERCENT = 64;

  private final Setting setting;
  private final Duration asked;
  private final Runnable reconnected;
  private final Clock clock;
  private final Scheduler scheduler;

  /** The session. */
  final CompletableFuture<ZooKeeperSession> ready = new CompletableFuture<>();

  /** The session, once it is known how long it lives; fails if that is not what was asked for. */
  final CompletableFuture<Session> proved = new CompletableFuture<>();

  private volatile SessionLife life;
  private final CompletableFuture<Boolean> closed = new CompletableFuture<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicBoolean begun = new AtomicBoolean();
  private final AtomicBoolean known = new AtomicBoolean();
  private volatile @Nullable Handle handle;
  private volatile Runnable ended = () -> {};
  private volatile boolean cut;

  /** Not open yet. */
  Connection(
      Setting setting, Duration asked, Runnable reconnected, Clock clock, Scheduler scheduler) {
    this.setting = setting;
    this.asked = asked;
    this.reconnected = reconnected;
    this.clock = clock;
    this.scheduler = scheduler;
    // The servers count from the connect, which comes later
    this.life = new SessionLife(clock, asked, settle(asked));
  }

  /**
   * How long after an answered write the leader counts from it for certain: half a tick, since that
   * often it hears from its followers which sessions live. A tick is at most half of the smallest
   * ttl that the servers take by default, and is taken to be 4 s at most, twice the default.
   */
  private static Duration settle(Duration ttl) {
    Duration quarter = ttl.dividedBy(4);
    return quarter.compareTo(LONGEST_SETTLE) < 0 ? quarter : LONGEST_SETTLE;
  }

  Connection open(Duration within) {
    String late = setting.where + " did not answer in " + within.toMillis() + " ms";
    scheduler.schedule(
        () -> {
          if (!ready.isDone()) {
            fail(new StoreException(Failure.UNAVAILABLE, late, null));
          }
        },
        within.toNanos());
    try {
      Handle opened = setting.source.open(asked, this);
      handle = opened;
      see(opened);
    } catch (StoreException e) {
      fail(e);
    }
    return this;
  }

  /** Runs this if the servers end the session. */
  void onEnd(Runnable whenEnded) {
    ended = whenEnded;
    if (over.get()) {
      whenEnded.run();
    }
  }

  /** Whether it stands, as far as is known. */
  boolean stands() {
    return !over.get();
  }

  /**
   * Whether leases of this ttl can be in it from now on. Until the first one it is not prolonged,
   * and what is left must last until the beats prove that it is.
   */
  boolean serves(Duration ttl) {
    return stands()
        && (setting.shared || asked.equals(ttl))
        && !proved.isCompletedExceptionally()
        && life.left().compareTo(ttl.multipliedBy(LEAST_LEFT_PERCENT).dividedBy(100)) >= 0;
  }

  @Override
  public void process(WatchedEvent event) {
    Handle opened = handle;
    if (event.getType() == Event.EventType.None && opened != null && stands()) {
      cut |= event.getState() == Event.KeeperState.Disconnected;
      see(opened);
    }
  }

  private void see(Handle opened) {
    ZooKeeper zk = opened.zk;
    if (!zk.getState().isAlive()) {
      lose();
    } else if (zk.getState().isConnected()) {
      if (cut) {
        cut = false;
        reconnected.run();
      }
      if (begun.compareAndSet(false, true)) {
        if (known.compareAndSet(false, true)) {
          opened.login.run();
        }
        begin(zk);
      }
    }
  }

  private void begin(ZooKeeper zk) {
    Duration ttl = Duration.ofMillis(zk.getSessionTimeout());
    if (setting.shared) {
      // Of the application's session nothing is known before it is proved
      life = new SessionLife(clock, ttl, settle(ttl));
    }
    Wire wire = new Wire(zk, setting.acls, life, this::lose);
    ZooKeeperSession session = new ZooKeeperSession(wire, setting.tree, this::close);
    session.begin().whenComplete((made, failed) -> begun(session, failed));
  }

  private void begun(ZooKeeperSession session, @Nullable Throwable failed) {
    if (failed != null) {
      Throwable cause = failed.getCause();
      if (cause instanceof StoreException known && known.failure() == Failure.REFUSED) {
        fail(known);
      }
      // Otherwise once more when there is a connection again, until the time is over
      begun.set(false);
      return;
    }
    ready.complete(session);
    if (setting.shared) {
      Duration settle = settle(session.ttl());
      scheduler.schedule(
          () ->
              session
                  .beat(settle)
                  .<Session>thenApply(done -> session)
                  .whenComplete(
                      (proof, unproved) -> {
                        if (unproved == null) {
                          proved.complete(proof);
                        } else {
                          fail(unproved);
                        }
                      }),
          settle.toNanos());
    } else if (session.ttl().equals(asked)) {
      proved.complete(session);
    } else {
      String other =
          setting.where
              + " gives a session of "
              + session.ttl().toMillis()
              + " ms for a ttl of "
              + asked.toMillis()
              + " ms: a ttl must be in its limits minSessionTimeout and maxSessionTimeout, which"
              + " are 2 and 20 times its tickTime unless they are configured";
      proved.completeExceptionally(new StoreException(Failure.REFUSED, other, null));
    }
  }

  private void fail(Throwable failure) {
    ready.completeExceptionally(failure);
    proved.completeExceptionally(failure);
    CompletableFuture<Boolean> unused = close();
  }

  /** The servers have ended it, or the client library. */
  private void lose() {
    if (stands()) {
      // First, so that no session is opened in it by what the end brings about
      CompletableFuture<Boolean> unused = close();
      ended.run();
      String where = setting.where + " has ended the session, or refused the client";
      fail(new StoreException(Failure.UNAVAILABLE, where, null));
    }
  }

  /** Ends it with its entries; completes when that is done. */
  CompletableFuture<Boolean> close() {
    if (over.compareAndSet(false, true)) {
      Handle opened = handle;
      if (setting.shared) {
        CompletableFuture<Void> unused = ready.thenCompose(ZooKeeperSession::removeAll);
      }
      scheduler.background(
          () -> {
            try {
              if (opened != null) {
                opened.ending.run();
              }
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            } finally {
              closed.complete(true);
            }
          });
    }
    return closed;
  }
}
