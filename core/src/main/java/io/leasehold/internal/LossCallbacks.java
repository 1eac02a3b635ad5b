package io.leasehold.internal;

import io.leasehold.internal.Scheduler.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is run if one lease is lost. None of it begins once the holder has asked for the release,
 * and the release can wait for what runs then.
 */
final class LossCallbacks {
  private record Callback(Lane lane, Runnable code) {}

  private final Hold hold;

  /** Guarded by the queue's mutex. */
  private List<Callback> callbacks = new ArrayList<>(1);

  /** Those that run now, by thread. */
  private final Map<Thread, CompletableFuture<Void>> running = new ConcurrentHashMap<>();

  LossCallbacks(Hold hold) {
    this.hold = hold;
  }

  /** Under the queue's mutex. */
  void add(Lane lane, Runnable code) {
    callbacks.add(new Callback(lane, code));
  }

  /** The lease is lost. Under the queue's mutex. */
  void call(Steps steps) {
    List<Callback> due = callbacks;
    callbacks = new ArrayList<>(1);
    Scheduler scheduler = hold.grant.queue.engine.scheduler;
    for (Callback callback : due) {
      steps.add(() -> scheduler.callback(callback.lane, () -> run(callback.code)));
    }
  }

  private void run(Runnable code) {
    Thread me = Thread.currentThread();
    CompletableFuture<Void> over = new CompletableFuture<>();
    // First this, then the look at the hold: the release does it in the other order
    running.put(me, over);
    try {
      if (!hold.isReleaseAsked()) {
        Events.isolated(code, "an onLost callback of " + hold + " threw");
      }
    } finally {
      running.remove(me, over);
      over.complete(null);
    }
  }

  /** Waits for those that run, but not for the one that calls this. */
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
