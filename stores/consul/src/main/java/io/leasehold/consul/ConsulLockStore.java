package io.leasehold.consul;

import io.leasehold.Finding;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.consul.Agent.Answer;
import io.leasehold.consul.LockKeys.Found;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.EntryList;
import io.leasehold.sessions.EntryOperator;
import io.leasehold.sessions.Failures;
import io.leasehold.sessions.Session.Watcher;
import io.leasehold.sessions.SessionLife;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.StoreListener;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.Traits;
import io.leasehold.spi.support.EndedIds;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The lock of {@code consul lock}: one key a name, which a session locks. As there, each lease has
 * a session of its own, and there is no queue: a change of the key wakes all that wait, and all
 * try. Thread-safe.
 */
final class ConsulLockStore implements LockStore, EntryList {
  /** How long a key stays free that a session had locked when it ended. */
  private static final Duration LOCK_DELAY = Duration.ofSeconds(15);

  private static final Attempt BUSY = new Attempt.Busy(Duration.ZERO, "");

  private final Connection connection;
  private final Agent agent;
  private final LockKeys keys;
  private final StoreListener listener;
  private final Traits traits;
  private final Watches watches;
  private final EndedIds ended;
  private final Map<LeaseId, Hold> holds = new ConcurrentHashMap<>();

  /** A session, and how long it certainly lives. */
  private record Session(String id, SessionLife life) {}

  /** What is known of an acquisition. Its attempts, and what ends it, come one after another. */
  private static final class Hold {
    private CompletionStage<?> last = CompletableFuture.completedFuture(null);

    /** One that has locked the key, or may have, or may yet. */
    private volatile @Nullable Session session;

    /** Of the grant; 0 before it. */
    private volatile long number;

    private volatile boolean queued;
    private volatile boolean watching;

    synchronized <T> CompletionStage<T> next(Supplier<CompletionStage<T>> request) {
      CompletionStage<T> next = last.handle((done, failed) -> "").thenCompose(x -> request.get());
      last = next;
      return next;
    }
  }

  private ConsulLockStore(Connection connection, LockKeys keys, StoreListener listener) {
    this.connection = connection;
    this.agent = connection.agent();
    this.keys = keys;
    this.listener = listener;
    this.watches = new Watches(connection.watching(), connection.threads());
    this.ended = new EndedIds(keys.clock());
    this.traits =
        new Traits(
            "consul (layout=consul)",
            Set.of(Trait.FENCING),
            Set.of(LockMode.EXCLUSIVE),
            connection.shortestTtl(),
            connection.longestTtl(),
            Connection.TTL_STEP,
            new Traits.Poll(Duration.ofSeconds(1), Duration.ofSeconds(1), Traits.Signals.SENT),
            new Traits.Life(
                Traits.Ends.SESSION, 80, ttl -> ttl.plus(Connection.ENDING).plus(LOCK_DELAY)),
            Traits.Wanted.ON_RENEWAL,
            Traits.Calls.NON_BLOCKING);
  }

  /**
   * Opens one.
   *
   * @throws StoreException if the agent cannot be reached, or refuses
   */
  static LockStore open(AgentAddress address, LockKeys keys, StoreListener listener) {
    return new ConsulLockStore(Connection.open(address), keys, listener);
  }

  @Override
  public Traits traits() {
    return traits;
  }

  private static <T> CompletionStage<T> done(T answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private CompletionStage<Found> find(Ticket ticket, Duration within) {
    return agent.get(keys.path(Optional.of(ticket.name())), within).thenApply(keys::read);
  }

  @Override
  public CompletionStage<Attempt> attempt(Ticket ticket, Duration within) {
    Hold hold = holds.computeIfAbsent(ticket.id(), id -> new Hold());
    return hold.next(
        () ->
            holds.get(ticket.id()) == hold
                ? attempt(ticket, hold, within)
                    .whenComplete((answer, failed) -> forgetNothing(ticket, hold))
                : attempt(ticket, within));
  }

  private void forgetNothing(Ticket ticket, Hold hold) {
    if (hold.session == null && !hold.queued) {
      holds.remove(ticket.id(), hold);
    }
  }

  private CompletionStage<Attempt> attempt(Ticket ticket, Hold hold, Duration within) {
    if (ended.contains(ticket.id())) {
      return done(BUSY);
    }
    return find(ticket, within)
        .thenCompose(
            found -> {
              Session own = hold.session;
              if (own != null && own.id.equals(found.session())) {
                return done(granted(hold, own, found.index()));
              }
              if (hold.number > 0) {
                gone(ticket, hold);
                return done(BUSY);
              }
              return found.session().isEmpty()
                  ? session(ticket, hold, within)
                      .thenCompose(made -> lock(ticket, hold, made, found, within))
                  : done(busy(ticket, hold, found, false));
            });
  }

  /** Nothing says whether others wait, so they are always let in. */
  private static Attempt granted(Hold hold, Session own, long index) {
    hold.number = hold.number == 0 ? index : hold.number;
    return new Attempt.Granted(hold.number, own.life.left(), true);
  }

  /** In its lock delay a key is free, and does not change when that is over: a poll finds it. */
  private Attempt busy(Ticket ticket, Hold hold, Found found, boolean isDelayed) {
    hold.queued = ticket.intent() == Ticket.Intent.QUEUE;
    if (hold.queued && !isDelayed && !hold.watching) {
      hold.watching = true;
      Watcher watcher =
          isGone -> {
            hold.watching = false;
            listener.wake(ticket.id());
          };
      watches.add(keys.key(ticket.name()), 0, found.index(), watcher);
    }
    return new Attempt.Busy(Duration.ZERO, found.holder());
  }

  /**
   * A new one for each request that locks, so that nothing is on its way any more once it has
   * ended. One whose answer was lost locks nothing, and ends by itself.
   */
  private CompletionStage<Session> session(Ticket ticket, Hold hold, Duration within) {
    return endSession(hold, within)
        .thenCompose(
            ended -> {
              SessionLife life = new SessionLife(keys.clock(), ticket.ttl(), Duration.ZERO);
              return agent
                  .ask(Connection.CREATE, Connection.session(ticket.ttl(), LOCK_DELAY), within)
                  .thenApply(answer -> new Session(answer.json().getString("ID"), life));
            });
  }

  private CompletionStage<Attempt> lock(
      Ticket ticket, Hold hold, Session own, Found found, Duration within) {
    hold.session = own;
    return agent
        .put(Transaction.PATH, keys.lock(ticket, own.id), within)
        .thenCompose(
            answer ->
                answer.body().contains("failed to lock")
                    ? endSession(hold, within)
                        .thenApply(ended -> busy(ticket, hold, found, isDelayed(answer)))
                    : done(granted(hold, own, LockKeys.index(answer))))
        .whenComplete(
            (answer, failed) -> {
              if (failed != null && !Failures.mayHaveTakenEffect(failed)) {
                endSession(hold, within);
                hold.session = null;
              }
            });
  }

  private static boolean isDelayed(Answer answer) {
    return answer.body().contains("lock delay");
  }

  /** Nothing is granted by the session any more once this completes. */
  private CompletionStage<Boolean> endSession(Hold hold, Duration within) {
    Session own = hold.session;
    return own == null
        ? done(true)
        : agent
            .put("/v1/session/destroy/" + own.id, "", within)
            .thenApply(
                answer -> {
                  hold.session = null;
                  return true;
                });
  }

  @Override
  public void renew(
      Collection<Ticket> tickets, Duration within, BiConsumer<LeaseId, Renewal> each) {
    for (Ticket ticket : List.copyOf(tickets)) {
      CompletionStage<?> unused =
          find(ticket, within)
              .thenCompose(found -> renew(ticket, holds.get(ticket.id()), found, within))
              .exceptionally(Renewal.Unknown::new)
              .thenAccept(answer -> each.accept(ticket.id(), answer));
    }
  }

  private CompletionStage<Renewal> renew(
      Ticket ticket, @Nullable Hold hold, Found found, Duration within) {
    Session own = hold == null ? null : hold.session;
    boolean isOurs = own != null && own.id.equals(found.session());
    if (hold != null && hold.number == 0) {
      boolean mayTry = isOurs || found.session().isEmpty();
      return done(mayTry ? new Renewal.AttemptNow() : new Renewal.Waiting());
    }
    if (own == null || !isOurs) {
      return done(gone(ticket, hold));
    }
    SessionLife.Sent sent = own.life.now();
    return agent
        .put("/v1/session/renew/" + own.id, "", within)
        .thenApply(
            answer -> {
              if (answer.status() != 200) {
                return gone(ticket, hold);
              }
              own.life.answered(sent);
              return new Renewal.Renewed(own.life.left(), true);
            });
  }

  private Renewal gone(Ticket ticket, @Nullable Hold hold) {
    if (hold != null) {
      forget(ticket, hold);
      CompletionStage<Boolean> unused = endSession(hold, Connection.ENDING);
    }
    return new Renewal.Gone();
  }

  /** It has no lease any more, and gets none. */
  private void forget(Ticket ticket, Hold hold) {
    ended.add(ticket.id());
    holds.remove(ticket.id(), hold);
  }

  @Override
  public CompletionStage<Release> release(Ticket ticket, Duration within) {
    Hold hold = holds.get(ticket.id());
    return hold == null || hold.number == 0
        ? done(Release.NOT_HELD)
        : hold.next(() -> giveUp(ticket, hold, within))
            .thenApply(unlocked -> unlocked ? Release.RELEASED : Release.NOT_HELD);
  }

  @Override
  public CompletionStage<Boolean> withdraw(Ticket ticket, Duration within) {
    ended.add(ticket.id());
    Hold hold = holds.get(ticket.id());
    return hold == null
        ? done(true)
        : hold.next(() -> giveUp(ticket, hold, within)).thenApply(unlocked -> true);
  }

  /** Unlocks first, because the end of a session that has the key begins a lock delay. */
  private CompletionStage<Boolean> giveUp(Ticket ticket, Hold hold, Duration within) {
    Session own = hold.session;
    CompletionStage<Boolean> unlock =
        own == null
            ? done(false)
            : agent
                .put(Transaction.PATH, keys.unlock(ticket, own.id), within)
                .thenApply(LockKeys::isUnlocked);
    return unlock.thenCompose(
        unlocked ->
            endSession(hold, within)
                // One without the key does no harm until it ends by itself
                .exceptionallyCompose(
                    failed -> unlocked ? done(true) : CompletableFuture.failedFuture(failed))
                .thenApply(
                    ended -> {
                      forget(ticket, hold);
                      return unlocked;
                    }));
  }

  @Override
  public CompletionStage<List<Entry>> list(Optional<String> name, Duration within) {
    return done(name)
        .thenCompose(which -> agent.get(keys.path(which), within))
        .thenApply(
            answer -> {
              // Refuses what is under this name and is no such lock
              name.ifPresent(one -> keys.read(answer));
              return keys.holders(answer);
            });
  }

  /** The key, which any other change has given another index. */
  @Override
  public CompletionStage<Boolean> remove(Entry entry, Duration within) {
    return agent
        .put(Transaction.PATH, Transaction.removal(entry.key(), entry.number()), within)
        .thenApply(Transaction::hasRemoved);
  }

  @Override
  public Optional<StoreOperator> operator() {
    return Optional.of(new EntryOperator(this));
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return new Diagnosis(agent, traits.minTtl(), within).findings();
  }

  @Override
  public void close() {
    connection.close();
    connection.threads().close();
  }
}
