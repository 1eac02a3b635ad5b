package io.leasehold.internal;

import io.leasehold.Lease;
import io.leasehold.MultiLease;
import io.leasehold.spi.Ticket.Intent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Takes several locks one after another, in one deadline. If one that it has is lost meanwhile it
 * lets all go and begins again. Everybody takes them in the same order, so nobody waits in a circle
 * (the ordering of resources: Havender, 1968).
 */
final class MultiAcquisition {
  private final Engine engine;
  private final List<LockHandle> parts;
  private final Deadline deadline;
  private final boolean once;
  private final CompletableFuture<MultiLease> result = new CompletableFuture<>();
  private final Mutex mutex = new Mutex();

  /** Rises with every new beginning and at the end: what an older one still hears is void. */
  private int round;

  private List<Lease> held = new ArrayList<>();
  private @Nullable CompletableFuture<Lease> asked;

  MultiAcquisition(Engine engine, List<LockHandle> parts, Deadline deadline, boolean once) {
    this.engine = engine;
    this.parts = parts;
    this.deadline = deadline;
    this.once = once;
  }

  CompletableFuture<MultiLease> start() {
    mutex.locked(this::next);
    // Whoever else completes it, by cancel or orTimeout, gives up
    CompletableFuture<MultiLease> unused =
        result.whenComplete((lease, thrown) -> mutex.locked(this::giveUp));
    return result;
  }

  private void next(Steps steps) {
    int mine = round;
    LockHandle part = parts.get(held.size());
    steps.add(
        () -> {
          CompletableFuture<Lease> future =
              part.acquireAsync(deadline, once ? Intent.TRY : Intent.QUEUE);
          mutex.locked(then -> ask(mine, future, then));
        });
  }

  private void ask(int mine, CompletableFuture<Lease> future, Steps steps) {
    if (mine == round) {
      asked = future;
    } else {
      steps.add(() -> future.cancel(true));
    }
    steps.add(
        () -> {
          CompletableFuture<Lease> unused =
              future.whenComplete(
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
    steps.add(() -> lease.onLost(() -> mutex.locked(then -> lost(mine, then))));
    if (held.size() < parts.size()) {
      next(steps);
    } else if (held.stream().allMatch(Lease::isHeld)) {
      finish(steps);
    } else {
      // Lost a moment ago, and not yet told
      lost(mine, steps);
    }
  }

  private void finish(Steps steps) {
    MultiHold all = new MultiHold(held);
    held = new ArrayList<>();
    round++;
    steps.add(
        () -> {
          if (!result.complete(all)) {
            // Cancelled at this moment: nobody will ever release it but us
            all.releaseUnwatched();
          }
        });
  }

  /** Lets all go; one that tried once may try again only when they are free. */
  private void fail(Throwable why, Steps steps) {
    round++;
    CompletableFuture<Void> gone = letGo(steps);
    if (once) {
      steps.add(
          () -> {
            CompletableFuture<Void> unused =
                gone.whenComplete((nothing, failed) -> result.completeExceptionally(why));
          });
    } else {
      steps.add(() -> result.completeExceptionally(why));
    }
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
    forgetAsked(steps);
    CompletableFuture<Void> unused = letGo(steps);
  }

  private void forgetAsked(Steps steps) {
    CompletableFuture<Lease> future = asked;
    asked = null;
    if (future != null) {
      steps.add(() -> future.cancel(true));
    }
  }

  private CompletableFuture<Void> letGo(Steps steps) {
    List<Lease> all = held;
    held = new ArrayList<>();
    return letGo(all, steps);
  }

  private CompletableFuture<Void> letGo(List<Lease> leases, Steps steps) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    // Not on this thread, which may be the caller's at its deadline
    steps.add(
        () ->
            engine.dispatch.background(
                () -> {
                  CompletableFuture<Void> unused =
                      MultiHold.releaseAll(leases)
                          .whenComplete((nothing, failed) -> done.complete(null));
                }));
    return done;
  }
}
