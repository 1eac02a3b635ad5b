package io.leasehold.testkit.simulation;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import io.leasehold.LockMode;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLease;
import io.leasehold.testkit.simulation.ThreadedCall.Holding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A thread of the user that again and again wants a lock, holds it for a while, and lets go. */
final class ThreadedCaller {
  private final ThreadedWorld world;
  private final ThreadedProcess process;
  private final Dice dice;
  private final Uses uses;
  private final boolean likesFair;

  ThreadedCaller(ThreadedWorld world, ThreadedProcess process, Dice dice) {
    this.world = world;
    this.process = process;
    this.dice = dice;
    this.uses = world.plan.uses;
    this.likesFair = dice.chance(uses.fair());
  }

  /** Its life, on its own thread. */
  void live() {
    think();
    while (!world.isDraining()) {
      call();
      think();
    }
  }

  private void think() {
    Strand.current().pause(dice.spread(10_000, world.plan.thinks));
  }

  private void call() {
    long maxWait =
        dice.chance(world.plan.tries)
            ? 0
            : dice.chance(world.plan.timed)
                ? dice.spread(100_000, world.plan.longestWait)
                : Wish.FOR_EVER;
    boolean fair = likesFair && maxWait > 0;
    Wish terms =
        new Wish(LockMode.EXCLUSIVE, 1, 1, maxWait, dice.pick(world.plan.ttls), fair, true, 0);
    if (dice.chance(uses.several())) {
      several(terms);
      return;
    }
    int index = dice.between(0, uses.names() - 1);
    Wish wish = uses.wish(dice, index, terms);
    if (dice.chance(world.plan.async)) {
      async(Uses.name(index), wish);
    } else if (!wish.isTry() && dice.chance(world.plan.scopes)) {
      scope(Uses.name(index), wish);
    } else {
      sync(Uses.name(index), wish);
    }
  }

  // ---- on its own thread

  private void sync(String name, Wish wish) {
    DistributedLock lock = wish.lock(process.engine, name);
    ThreadedCall call = world.judge.invoked(process, List.of(name), wish, false);
    Timeline.Event interrupt = mayBeInterrupted(call);
    Optional<Lease> lease;
    try {
      lease = acquire(lock, wish);
    } catch (InterruptedException | LockException | LeaseLostException | SimulatedFaults.Failed e) {
      world.judge.failed(call, e);
      return;
    } catch (SimulatedFaults.Broken | SimulatedFaults.NoThread e) {
      world.judge.failed(call, e);
      return;
    } finally {
      interrupt.cancel();
      Thread.interrupted();
    }
    if (lease.isEmpty()) {
      world.judge.busy(call);
    } else {
      holdAndRelease(world.judge.granted(call, List.of(lease.get())));
    }
  }

  private Optional<Lease> acquire(DistributedLock lock, Wish wish) throws InterruptedException {
    if (wish.isTry()) {
      return lock.tryAcquire();
    }
    if (wish.maxWait() >= Wish.FOR_EVER) {
      return Optional.of(lock.acquire());
    }
    return dice.chance(0.5)
        ? lock.tryAcquire(wish.patience())
        : Optional.of(lock.acquire(wish.patience()));
  }

  private Timeline.Event mayBeInterrupted(ThreadedCall call) {
    Strand me = Strand.current();
    boolean interrupts = !call.wish.isTry() && dice.chance(world.plan.interrupts);
    Timeline.Event event =
        world.time.in(
            dice.spread(10_000, world.plan.longestWait),
            () -> {
              if (!call.ended) {
                world.trace.line(me.name, "is interrupted");
                call.interruptedAt = world.time.now();
                me.interrupt(1_000);
              }
            });
    if (!interrupts) {
      event.cancel();
    }
    return event;
  }

  private void scope(String name, Wish wish) {
    DistributedLock lock = wish.lock(process.engine, name);
    ThreadedCall call = world.judge.invoked(process, List.of(name), wish, false);
    List<Holding> held = new ArrayList<>();
    long[] left = new long[1];
    try {
      lock.withLock(
          wish.patience(),
          lease -> {
            held.addAll(world.judge.granted(call, List.of(lease)));
            held.forEach(h -> h.lease.onLost(() -> lost(h)));
            hold();
            if (!wish.isPermits()) {
              lock.withLock(wish.patience(), again -> enteredTwice());
            }
            held.forEach(world.judge.leases::releaseAsked);
            left[0] = world.time.now();
          });
      held.forEach(h -> world.judge.leases.releaseEnded(h, left[0], null));
    } catch (InterruptedException | LockException | LeaseLostException | SimulatedFaults.Failed e) {
      scopeFailed(call, held, left[0], e);
    } catch (SimulatedFaults.Broken | SimulatedFaults.NoThread e) {
      scopeFailed(call, held, left[0], e);
    }
  }

  private void enteredTwice() {
    world.saw(Situation.SCOPE_ENTERED_TWICE);
    hold();
  }

  private void scopeFailed(ThreadedCall call, List<Holding> held, long left, Throwable failure) {
    if (held.isEmpty()) {
      world.judge.failed(call, failure);
      return;
    }
    for (Holding h : held) {
      // It was lost before it was entered again: left by that exception
      h.releaseAsked = true;
      world.judge.leases.releaseEnded(h, left == 0 ? -Plan.SECOND * 100 : left, failure);
    }
  }

  private void hold() {
    Strand.current().pause(dice.spread(10_000, world.plan.holds));
  }

  private void holdAndRelease(List<Holding> held) {
    held.forEach(h -> h.lease.onLost(() -> lost(h)));
    hold();
    held.forEach(this::release);
  }

  private void lost(Holding h) {
    world.judge.leases.lost(h);
    world.userCode("callback", world.plan.slowCallbacks);
  }

  private void release(Holding h) {
    world.judge.leases.releaseAsked(h);
    long asked = world.time.now();
    Throwable failure = null;
    try {
      h.lease.release();
    } catch (LockException | LeaseLostException | SimulatedFaults.Failed e) {
      failure = e;
    } catch (SimulatedFaults.Broken | SimulatedFaults.NoThread e) {
      failure = e;
    }
    world.judge.leases.releaseEnded(h, asked, failure);
  }

  // ---- by a future

  private void async(String name, Wish wish) {
    DistributedLock lock = wish.lock(process.engine, name);
    future(List.of(name), wish, () -> lock.acquireAsync(wish.patience()), lease -> List.of(lease));
  }

  private void several(Wish wish) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < uses.names(); i++) {
      if (dice.chance(0.7)) {
        names.add(Uses.name(i));
      }
    }
    if (names.size() < 2) {
      names = List.of(Uses.name(0), Uses.name(1));
    }
    String[] asked = names.toArray(String[]::new);
    future(
        names,
        wish,
        () -> process.engine.allOf(asked).with(wish.options()).acquireAsync(wish.patience()),
        MultiLease::leases);
  }

  /** How a call is begun. */
  private interface Begin<T> {
    CompletionStage<T> begin();
  }

  private <T> void future(
      List<String> names, Wish wish, Begin<T> begin, Function<T, List<Lease>> leases) {
    ThreadedCall call = world.judge.invoked(process, names, wish, true);
    Strand me = Strand.current();
    boolean[] done = new boolean[1];
    CompletableFuture<T> future;
    try {
      future = begin.begin().toCompletableFuture();
    } catch (LockException | LeaseLostException | SimulatedFaults.Failed e) {
      world.judge.failed(call, e);
      return;
    } catch (SimulatedFaults.Broken | SimulatedFaults.NoThread e) {
      world.judge.failed(call, e);
      return;
    }
    future.whenComplete(
        (value, failure) -> {
          try {
            completed(call, value, failure, leases);
          } finally {
            done[0] = true;
            me.unpark(1_000);
          }
        });
    boolean cancels = !wish.isTry() && dice.chance(world.plan.interrupts);
    if (cancels) {
      me.pause(dice.spread(10_000, world.plan.longestWait));
      if (!call.ended) {
        world.judge.cancelled(call);
        future.cancel(true);
      }
    }
    while (!done[0]) {
      me.park(Long.MAX_VALUE);
    }
  }

  private <T> void completed(
      ThreadedCall call, T value, Throwable failure, Function<T, List<Lease>> leases) {
    if (failure != null) {
      if (!call.ended) {
        Throwable cause =
            failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
        if (cause instanceof LockTimeoutException) {
          world.judge.busy(call);
        } else {
          world.judge.failed(call, cause);
        }
      }
      world.userCode("completion", world.plan.slowCompletions);
      return;
    }
    List<Holding> held = world.judge.granted(call, leases.apply(value));
    try {
      held.forEach(h -> h.lease.onLost(() -> lost(h)));
      world.userCode("completion", world.plan.slowCompletions);
    } finally {
      held.forEach(this::release);
    }
  }
}
