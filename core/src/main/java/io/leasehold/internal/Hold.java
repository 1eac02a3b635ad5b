package io.leasehold.internal;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockOptions;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Releaser.Leaving;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.support.Durations;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A lease in the hands of its holder. Ends once, by one compare-and-set: released or lost. */
public final class Hold implements Lease, Waiter.Outcome {
  /** What became of it. */
  enum State {
    HELD(null),
    JEOPARDY(null),
    RELEASED(null),
    EXPIRED(Reason.EXPIRED),
    GONE(Reason.GONE),
    SESSION_ENDED(Reason.SESSION_ENDED),
    MAX_HOLD(Reason.MAX_HOLD),
    CLOSED(Reason.CLOSED);

    /** By what it was lost; null if it was not. */
    final @Nullable Reason lostBy;

    State(@Nullable Reason lostBy) {
      this.lostBy = lostBy;
    }

    static State lost(Reason reason) {
      return switch (reason) {
        case EXPIRED -> EXPIRED;
        case GONE -> GONE;
        case SESSION_ENDED -> SESSION_ENDED;
        case MAX_HOLD -> MAX_HOLD;
        case CLOSED -> CLOSED;
      };
    }
  }

  // Fields and not objects: a lease is made for every acquisition
  private static final AtomicIntegerFieldUpdater<Hold> ASKED =
      AtomicIntegerFieldUpdater.newUpdater(Hold.class, "asked");

  final Grant grant;
  final long since;
  final @Nullable Thread thread;
  final String traceId;
  private final short handOver;

  /** When it ends although it is renewed. Written under the queue's mutex, read without it. */
  private volatile Deadline longestLife;

  /** Until when its name stays locked though it is let go. Guarded by the queue's mutex. */
  private Deadline keptUntil;

  /** Written under the queue's mutex, read without it. */
  private volatile State state = State.HELD;

  /** Whether its release was asked for: 1 if it was. */
  private volatile int asked;

  private boolean awaitedByItself;

  /** As text, once it was asked for: by each of its events. */
  private @Nullable String leaseId;

  /** The next of those who share the lease. Guarded by the queue's mutex. */
  @Nullable Hold next;

  /** Null until there is one. Written under the queue's mutex. */
  private volatile @Nullable Callbacks callbacks;

  Hold(Grant grant, short handOver, Waiter waiter) {
    long now = grant.queue.engine.clock.nanos();
    this.grant = grant;
    this.handOver = handOver;
    this.since = now;
    this.thread = waiter.thread;
    this.traceId = waiter.traceId;
    this.longestLife = Deadline.in(waiter.terms.maxHold(), now);
    this.keptUntil = Deadline.in(waiter.terms.minHold(), now);
  }

  private Engine engine() {
    return grant.queue.engine;
  }

  @Override
  public String name() {
    return grant.ticket.name();
  }

  @Override
  public String leaseId() {
    String made = leaseId;
    if (made == null) {
      made = grant.ticket.id().toString();
      leaseId = made;
    }
    return made;
  }

  @Override
  public long fencingToken() {
    long token = tokenOrZero();
    if (token == 0) {
      throw new UnsupportedOperationException(
          "lock '" + name() + "': this store has no fencing tokens (acceptUnfenced() was called)");
    }
    return token;
  }

  /** How long it has been held. */
  Duration age() {
    return engine().since(since);
  }

  /** The token, 0 if there is none. */
  long tokenOrZero() {
    return grant.number == 0 ? 0 : FenceNumber.token(grant.number, handOver);
  }

  @Override
  public boolean isHeld() {
    return isOpen() && !isOver(engine().clock.nanos());
  }

  /** Neither released nor lost, as far as it was noticed. */
  boolean isOpen() {
    State s = state;
    return s == State.HELD || s == State.JEOPARDY;
  }

  private boolean isOver(long now) {
    return !grant.isValid(now) || longestLife.hasPassed(now);
  }

  @Override
  public Duration remaining() {
    long now = engine().clock.nanos();
    if (!isOpen() || isOver(now)) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(Math.min(grant.validity().until() - now, longestLife.left(now)));
  }

  /** When it ends although it is renewed. */
  Deadline longestLife() {
    return longestLife;
  }

  /** Under the mutex: until when its name stays locked though it is let go. */
  Deadline keptUntil() {
    return keptUntil;
  }

  @Override
  public void changeHold(LockOptions options) {
    Optional<Duration> minHold =
        options.minHold().map(d -> Terms.possibleMinHold(d, engine().traits));
    grant.queue.locked(
        steps -> {
          // What has run out stays over
          grant.queue.leases.expire(grant, steps);
          if (!isHeld()) {
            throw lost("; it cannot be held on");
          }
          long now = engine().clock.nanos();
          longestLife = Deadline.in(options.maxHold(), now);
          keptUntil = Deadline.in(minHold, now);
          grant.longestLifeChanged();
          engine().keeper.attend(grant);
        });
  }

  @Override
  public void ensureHeld(Duration atLeast) {
    Duration most = engine().yieldOf(grant.ticket.ttl());
    if (Durations.nanos(atLeast) >= Validity.of(0, 0, most).until()) {
      throw Failures.moreThanARenewalYields(this, most, atLeast);
    }
    if (remainsFor(atLeast)) {
      return;
    }
    if (isOpen() && !isEnding()) {
      engine().keeper.renewNow(grant);
    }
    if (remainsFor(atLeast)) {
      return;
    }
    Duration left = remaining();
    if (left.isZero()) {
      throw lost("; it cannot be held for " + Durations.show(atLeast) + " more");
    }
    throw Failures.tooShort(this, left, atLeast);
  }

  private boolean remainsFor(Duration atLeast) {
    Duration left = remaining();
    return !left.isZero() && left.compareTo(atLeast) >= 0;
  }

  private boolean isEnding() {
    return grant.validity().isOver(engine().clock.nanos())
        || longestLife.hasPassed(engine().clock.nanos());
  }

  @Override
  public Registration onLost(Consumer<Reason> callback) {
    return onLost(Lane.LOSS, callback);
  }

  /** As {@link #onLost(Consumer)}, in this lane. */
  Registration onLost(Lane lane, Consumer<Reason> callback) {
    Objects.requireNonNull(callback, "callback");
    return grant.queue.compute(
        steps -> {
          Callbacks all = callbacks();
          Registration added = all.onLoss(lane, callback);
          Reason lostBy = state.lostBy;
          if (lostBy != null) {
            all.lost(lostBy, steps);
          }
          return added;
        });
  }

  @Override
  public Registration onJeopardy(Consumer<Duration> callback) {
    Objects.requireNonNull(callback, "callback");
    return grant.queue.compute(
        steps -> {
          Callbacks.Callback<Duration> added = callbacks().onJeopardy(callback);
          if (state == State.JEOPARDY) {
            added.call(remaining(), steps);
          }
          return added;
        });
  }

  /** Reports to this from now on; at once what it has missed. */
  void watch(Watcher watcher) {
    grant.queue.locked(
        steps -> {
          callbacks().watcher = watcher;
          State now = state;
          if (now.lostBy != null) {
            watcher.lost(now.lostBy);
          } else if (now == State.RELEASED) {
            watcher.released();
          } else if (now == State.JEOPARDY) {
            watcher.endangered(remaining());
          }
        });
  }

  /** Under the mutex. */
  private Callbacks callbacks() {
    Callbacks all = callbacks;
    if (all == null) {
      all = new Callbacks(this);
      callbacks = all;
    }
    return all;
  }

  @Override
  public void release() {
    CompletableFuture<Void> done = letGo();
    try {
      engine().scheduler.join(done);
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    } finally {
      awaitCallbacks();
    }
  }

  /** After a release: none of its callbacks runs any more, if they end within a request timeout. */
  void awaitCallbacks() {
    Callbacks all = callbacks;
    if (all != null) {
      all.awaitRunning(Deadline.in(engine().requestTimeout, engine().clock.nanos()));
    }
  }

  boolean isReleaseAsked() {
    return asked == 1;
  }

  @Override
  public CompletableFuture<Void> releaseAsync() {
    return releaseOn(engine().completers.ofClient);
  }

  /** As {@link #releaseAsync()}; the future completes there. */
  CompletableFuture<Void> releaseOn(Executor completer) {
    return Completers.hop(letGo(true), completer);
  }

  /**
   * As {@link #release()}, without waiting more than for a store whose requests block.
   *
   * @return completes once it is released, wherever that happens; fails with what {@code release}
   *     would throw
   */
  public CompletableFuture<Void> letGo() {
    return letGo(false);
  }

  /** As {@link #letGo()}; {@code elsewhere}: no request is made on the calling thread. */
  CompletableFuture<Void> letGo(boolean elsewhere) {
    return ASKED.compareAndSet(this, 0, 1)
        ? grant.queue.leases.release(new Leaving(this, elsewhere))
        : CompletableFuture.completedFuture(null);
  }

  /** As {@link #letGo()}, where no callback is left to be run. */
  void releaseUnwatched() {
    CompletableFuture<Void> unused = letGo();
  }

  /** Under the mutex: whether this is the first time that its own thread waits for it. */
  boolean beginsToWaitForItself(Thread waiting) {
    boolean first = isOpen() && waiting.equals(thread) && !awaitedByItself;
    awaitedByItself |= first;
    return first;
  }

  /** Under the mutex. */
  private boolean become(State from, State to) {
    boolean was = state == from;
    if (was) {
      state = to;
    }
    return was;
  }

  /** Under the mutex: HELD to JEOPARDY, and back. */
  boolean endanger(Duration left, Steps steps) {
    if (!become(State.HELD, State.JEOPARDY)) {
      return false;
    }
    report(watcher -> watcher.endangered(left));
    Callbacks all = callbacks;
    if (all != null) {
      all.endangered(left, steps);
    }
    return true;
  }

  /** Under the mutex. */
  void rescue() {
    if (become(State.JEOPARDY, State.HELD)) {
      report(Watcher::rescued);
    }
  }

  /** Under the mutex: ends it as released; false if it had ended before. */
  boolean endReleased() {
    if (!become(State.HELD, State.RELEASED) && !become(State.JEOPARDY, State.RELEASED)) {
      return false;
    }
    report(Watcher::released);
    return true;
  }

  private void report(Consumer<Watcher> what) {
    Callbacks all = callbacks;
    if (all != null && all.watcher != null) {
      what.accept(all.watcher);
    }
  }

  /** Under the mutex: ends it as lost; false if it had ended before. */
  boolean endLost(Reason reason, Steps steps) {
    State lost = State.lost(reason);
    if (!become(State.HELD, lost) && !become(State.JEOPARDY, lost)) {
      return false;
    }
    report(watcher -> watcher.lost(reason));
    Callbacks all = callbacks;
    if (all != null) {
      all.lost(reason, steps);
    }
    return true;
  }

  boolean isLost() {
    return state.lostBy != null;
  }

  /** By the client's end, while it was held. */
  boolean wasClosed() {
    return state == State.CLOSED;
  }

  /** What to throw now that it is not held. */
  LeaseLostException lost(String consequence) {
    Reason reason = state.lostBy;
    return reason == null
        ? Failures.over(
            this, isOpen() ? "its validity has run out" : "it was released", consequence)
        : lost(reason, consequence);
  }

  LeaseLostException lost(Reason reason, String consequence) {
    return Failures.lost(this, reason, consequence);
  }

  @Override
  public String toString() {
    return "Lease[" + name() + ", token " + tokenOrZero() + ", " + state + "]";
  }

  /**
   * What is run if one lease comes into jeopardy or is lost. None of it begins once the holder has
   * asked for the release, and the release can wait for what runs then. Guarded by the queue's
   * mutex where nothing else is said.
   */
  private static final class Callbacks {
    private final Hold hold;
    private final List<Callback<Reason>> ofLoss = new ArrayList<>(1);
    private final List<Callback<Duration>> ofJeopardy = new ArrayList<>(1);
    @Nullable Watcher watcher;

    /** Those that run now, by thread. */
    private final Map<Thread, CompletableFuture<Void>> running = new ConcurrentHashMap<>();

    Callbacks(Hold hold) {
      this.hold = hold;
    }

    /** Code of the user, in its lane. */
    final class Callback<T> implements Lease.Registration {
      private final Lane lane;
      private final Consumer<T> code;
      private volatile boolean removed;

      private Callback(Lane lane, Consumer<T> code) {
        this.lane = lane;
        this.code = code;
      }

      @Override
      public void remove() {
        removed = true;
        hold.grant.queue.locked(
            steps -> {
              ofLoss.remove(this);
              ofJeopardy.remove(this);
            });
      }

      void call(T with, Steps steps) {
        Scheduler scheduler = hold.grant.queue.engine.scheduler;
        steps.add(() -> scheduler.callback(lane, () -> run(with)));
      }

      private void run(T with) {
        Thread me = Thread.currentThread();
        CompletableFuture<Void> over = new CompletableFuture<>();
        // First this, then the look at the hold: the release does it in the other order
        running.put(me, over);
        try {
          if (!removed && !hold.isReleaseAsked()) {
            Events.isolated(() -> code.accept(with), () -> "a callback of " + hold + " threw");
          }
        } finally {
          running.remove(me, over);
          over.complete(null);
        }
      }
    }

    Callback<Reason> onLoss(Lane lane, Consumer<Reason> code) {
      Callback<Reason> callback = new Callback<>(lane, code);
      ofLoss.add(callback);
      return callback;
    }

    Callback<Duration> onJeopardy(Consumer<Duration> code) {
      Callback<Duration> callback = new Callback<>(Lane.LOSS, code);
      ofJeopardy.add(callback);
      return callback;
    }

    /** The lease is lost: each is called once. */
    void lost(Reason reason, Steps steps) {
      ofLoss.forEach(callback -> callback.call(reason, steps));
      ofLoss.clear();
    }

    void endangered(Duration left, Steps steps) {
      ofJeopardy.forEach(callback -> callback.call(left, steps));
    }

    /** Waits for those that run, but not for the one that calls this. Without the mutex. */
    void awaitRunning(Deadline until) {
      Engine engine = hold.grant.queue.engine;
      running.forEach(
          (thread, over) -> {
            if (!thread.equals(Thread.currentThread())) {
              until.await(over, engine);
            }
          });
    }
  }
}
