package io.leasehold.internal;

import io.leasehold.Lease;
import io.leasehold.MultiLease;
import io.leasehold.internal.LockHandle.Begun;
import io.leasehold.internal.MultiHandle.MultiHold;
import io.leasehold.internal.NameQueue.GiveUp;
import io.leasehold.spi.Ticket.Intent;
import io.leasehold.spi.support.Scheduler.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Takes several locks one after another, in one deadline. If one that it has is lost meanwhile it
 * lets all go and begins again. All callers take them in the same order, so none wait in a circle
 * (the ordering of resources: Havender, 1968). Only its end runs code of the user.
 */
final class MultiAcquisition {
  private final Engine engine;
  private final List<LockHandle> parts;
  private final Deadline deadline;
  private final boolean once;
  private final Executor completer;
  private final String traceId;
  private final CompletableFuture<MultiLease> result = new CompletableFuture<>();
  private final Mutex mutex = new Mutex();

  /** Rises with every new beginning and at the end: what an older one still hears is void. */
  private int round;

  private boolean ended;
  private List<Lease> held = new ArrayList<>();
  private @Nullable Begun asked;

  MultiAcquisition(
      Engine engine, List<LockHandle> parts, Deadline deadline, boolean once, Executor completer) {
    this.engine = engine;
    this.parts = parts;
    this.deadline = deadline;
    this.once = once;
    this.completer = completer;
    this.traceId = engine.identity.traceId();
  }

  CompletableFuture<MultiLease> start() {
    mutex.locked(this::next);
    // Completing it otherwise, by cancel or orTimeout, gives up
    CompletableFuture<MultiLease> unused =
        result.whenComplete((lease, thrown) -> mutex.locked(this::giveUp));
    return result;
  }

  private void next(Steps steps) {
    int mine = round;
    LockHandle part = parts.get(held.size());
    steps.add(
        () -> {
          Begun begun =
              part.begin(
                  deadline, once ? Intent.TRY : Intent.QUEUE, engine.completers.ofEngine, traceId);
          mutex.locked(then -> ask(mine, begun, then));
        });
  }

  private void ask(int mine, Begun begun, Steps steps) {
    if (mine == round) {
      asked = begun;
    } else {
      steps.add(() -> begun.future().cancel(true));
    }
    steps.add(
        () -> {
          CompletableFuture<Lease> unused =
              begun
                  .future()
                  .whenComplete(
                      (lease, thrown) -> mutex.locked(then -> answered(mine, lease, thrown, then)));
        });
  }

  private void answered(int mine, @Nullable Lease lease, @Nullable Throwable thrown, Steps steps) {
    if (mine != round) {
      if (lease != null) {
        CompletableFuture<Void> unused = letGo(List.of(lease), steps);
      }
      return;
    }
    asked = null;
    if (lease == null) {
      fail(thrown == null ? new IllegalStateException("no lease and no reason") : thrown, steps);
      return;
    }
    held.add(lease);
    steps.add(
        () -> ((Hold) lease).onLost(Lane.ENGINE, reason -> mutex.locked(then -> lost(mine, then))));
    if (held.size() < parts.size()) {
      next(steps);
    } else {
      finish(steps);
    }
  }

  private void finish(Steps steps) {
    int mine = round;
    steps.add(() -> completer.execute(() -> handOut(mine)));
  }

  /** On the thread on which the caller goes on: until then one of them may be lost. */
  private void handOut(int mine) {
    mutex.locked(
        steps -> {
          if (mine != round) {
            return;
          }
          if (!held.stream().allMatch(Lease::isHeld)) {
            // A moment ago, and not yet told
            lost(mine, steps);
            return;
          }
          MultiHold all = new MultiHold(engine, held);
          held = new ArrayList<>();
          round++;
          ended = true;
          steps.add(
              () -> {
                if (!result.complete(all)) {
                  // Cancelled at this moment: nothing else will ever release it
                  engine.calls.background(all::releaseUnwatched);
                }
              });
        });
  }

  /** Lets all go; one that tried once may try again only when they are free. */
  private void fail(Throwable why, Steps steps) {
    round++;
    ended = true;
    boolean waits = once && !held.isEmpty();
    CompletableFuture<Void> gone = letGo(steps);
    Runnable end = () -> completer.execute(() -> result.completeExceptionally(why));
    if (waits) {
      // A closed client lets them go by itself, and may drop what was to be done here
      steps.add(
          () -> {
            CompletableFuture<Object> unused =
                CompletableFuture.anyOf(gone, engine.closing.drained())
                    .whenComplete((nothing, failed) -> end.run());
          });
    } else {
      steps.add(end);
    }
  }

  /** The deadline has passed: ends it on the calling thread, if nothing else has done so. */
  void timeOut() {
    mutex.locked(
        steps -> {
          Begun last = asked;
          int mine = round;
          if (last != null) {
            steps.add(() -> timedOut(mine, last.giveUp(GiveUp.TIMEOUT)));
          } else if (!ended && held.size() < parts.size()) {
            fail(Failures.silent(parts.get(held.size()).name()), steps);
          }
        });
  }

  private void timedOut(int mine, Waiter.Outcome end) {
    mutex.locked(
        steps -> {
          // A lease is on its way to be answered
          if (mine == round && end instanceof Waiter.Busy busy) {
            asked = null;
            fail(busy.asException(), steps);
          } else if (mine == round && end instanceof Waiter.Failed failed) {
            asked = null;
            fail(failed.why(), steps);
          }
        });
  }

  private void lost(int mine, Steps steps) {
    if (mine != round) {
      return;
    }
    round++;
    forgetAsked(steps);
    CompletableFuture<Void> unused = letGo(steps);
    next(steps);
  }

  private void giveUp(Steps steps) {
    round++;
    ended = true;
    forgetAsked(steps);
    CompletableFuture<Void> unused = letGo(steps);
  }

  private void forgetAsked(Steps steps) {
    Begun begun = asked;
    asked = null;
    if (begun != null) {
      steps.add(() -> begun.future().cancel(true));
    }
  }

  private CompletableFuture<Void> letGo(Steps steps) {
    List<Lease> all = held;
    held = new ArrayList<>();
    return letGo(all, steps);
  }

  private CompletableFuture<Void> letGo(List<Lease> leases, Steps steps) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    if (leases.isEmpty()) {
      done.complete(null);
      return done;
    }
    // Not on this thread, which may be the caller's at its deadline
    steps.add(
        () ->
            engine.calls.background(
                () -> {
                  CompletableFuture<Void> unused =
                      MultiHold.releaseAll(leases, false)
                          .whenComplete((nothing, failed) -> done.complete(null));
                }));
    return done;
  }
}
