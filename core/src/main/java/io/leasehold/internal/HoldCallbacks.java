package io.leasehold.internal;

import io.leasehold.Lease;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.spi.support.Scheduler;
import io.leasehold.spi.support.Scheduler.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * What is run if one lease comes into jeopardy or is lost. None of it begins once the holder has
 * asked for the release, and the release can wait for what runs then. Guarded by the queue's mutex
 * where nothing else is said.
 */
final class HoldCallbacks {
  private final Hold hold;
  private final List<Callback<Reason>> ofLoss = new ArrayList<>(1);
  private final List<Callback<Duration>> ofJeopardy = new ArrayList<>(1);

  /** Those that run now, by thread. */
  private final Map<Thread, CompletableFuture<Void>> running = new ConcurrentHashMap<>();

  HoldCallbacks(Hold hold) {
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
          Events.isolated(() -> code.accept(with), "a callback of " + hold + " threw");
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
            Waits.uninterruptibly(over, until, engine);
          }
        });
  }
}
