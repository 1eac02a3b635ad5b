package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.MultiLease;
import io.leasehold.MultiLock;
import io.leasehold.testkit.InMemorySettings.Feature;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

/** A caller in a process: again and again it wants a lock, holds it for a while, and lets go. */
final class Caller {
  private final World world;
  private final SimulatedProcess process;
  private final Dice dice;
  private final Uses uses;
  private final boolean likesFair;

  Caller(World world, SimulatedProcess process, Dice dice) {
    this.world = world;
    this.process = process;
    this.dice = dice;
    this.uses = world.plan.uses();
    this.likesFair = world.plan.has(Feature.QUEUE) && dice.chance(uses.fair());
  }

  void begin() {
    process.later(
        dice.chance(0.7)
            ? dice.spread(10_000, 20 * Plan.MS)
            : dice.spread(Plan.MS, 2 * Plan.SECOND),
        this::call);
  }

  private void call() {
    if (world.isDraining() || world.judge.isClosing(process)) {
      return;
    }
    Wish terms = terms();
    if (dice.chance(uses.several())) {
      callForSeveral(terms);
    } else {
      int index = dice.between(0, uses.names() - 1);
      callForOne(Uses.name(index), uses.wish(dice, index, terms));
    }
  }

  private Wish terms() {
    long ttl = dice.pick(world.plan.ttls());
    long maxWait = maxWait();
    boolean fair = likesFair && maxWait > 0 && dice.chance(0.8);
    boolean renewed = !dice.chance(0.1);
    long maxHold = dice.chance(0.08) ? dice.spread(5 * Plan.MS, 2 * Plan.SECOND) : 0;
    return new Wish(LockMode.EXCLUSIVE, 1, 1, maxWait, ttl, fair, renewed, maxHold);
  }

  private long maxWait() {
    if (dice.chance(world.plan.tries())) {
      return 0;
    }
    return dice.chance(0.4) ? Wish.FOR_EVER : dice.spread(100_000, 4 * Plan.SECOND);
  }

  // ---- one

  private void callForOne(String name, Wish wish) {
    Call call = world.judge.calls.invoked(process, name, wish);
    call.future = wish.lock(process.engine, name).acquireAsync(wish.patience());
    world.judge.calls.returned(call);
    call.future.whenComplete((lease, failure) -> ended(call, lease, failure));
    if (!wish.isTry() && dice.chance(0.15)) {
      process.later(dice.spread(10_000, Plan.SECOND), () -> cancel(call));
    }
  }

  private void cancel(Call call) {
    if (call.isPending()) {
      world.judge.calls.cancelled(call);
      call.future.cancel(true);
      begin();
    }
  }

  private void ended(Call call, Lease lease, Throwable failure) {
    if (failure != null) {
      boolean again = call.end != Call.End.CANCELLED;
      world.judge.calls.failed(call, cause(failure));
      if (again) {
        begin();
      }
      return;
    }
    Handle handle = world.judge.calls.granted(call, lease);
    letGoLater(List.of(handle), call.wish.ttl());
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  // ---- several as one

  private void callForSeveral(Wish terms) {
    // One that may lose what it has by itself may never have all at once
    long most = terms.mayNeverLast() ? Math.min(terms.maxWait(), 4 * Plan.SECOND) : terms.maxWait();
    Wish wish =
        new Wish(
            LockMode.EXCLUSIVE,
            1,
            1,
            most,
            terms.ttl(),
            terms.fair(),
            terms.renewed(),
            terms.maxHold());
    List<String> names = new ArrayList<>();
    for (int i = 0; i < uses.names(); i++) {
      if (dice.chance(0.6)) {
        names.add(dice.between(0, names.size()), Uses.name(i));
      }
    }
    if (names.isEmpty()) {
      names.add(Uses.name(0));
    }
    MultiLock locks = process.engine.allOf(names.toArray(String[]::new)).with(wish.options());
    MultiCall call = world.judge.multis.invoked(process, names, wish);
    call.future = locks.acquireAsync(wish.patience());
    world.judge.multis.returned(call);
    call.future.whenComplete((lease, failure) -> ended(call, lease, failure));
    if (!wish.isTry() && dice.chance(0.15)) {
      process.later(dice.spread(10_000, Plan.SECOND), () -> cancel(call));
    }
  }

  private void cancel(MultiCall call) {
    if (call.isPending()) {
      world.judge.multis.cancelled(call);
      call.future.cancel(true);
      begin();
    }
  }

  private void ended(MultiCall call, MultiLease lease, Throwable failure) {
    if (failure != null) {
      boolean again = call.end != Call.End.CANCELLED;
      world.judge.multis.failed(call, cause(failure));
      if (again) {
        begin();
      }
      return;
    }
    letGoLater(world.judge.multis.granted(call, lease), call.wish.ttl());
  }

  // ---- letting go

  private void letGoLater(List<Handle> handles, long ttl) {
    process.later(
        holdFor(ttl),
        () -> {
          handles.forEach(handle -> release(world, handle));
          begin();
        });
  }

  private long holdFor(long ttl) {
    if (world.isDraining()) {
      return dice.between(0, 5 * Plan.MS);
    }
    if (dice.chance(0.55)) {
      return dice.spread(1_000, 10 * Plan.MS);
    }
    if (dice.chance(0.04)) {
      return Wish.FOR_EVER;
    }
    return dice.chance(0.8)
        ? dice.spread(Plan.MS, 300 * Plan.MS)
        : dice.spread(Plan.MS, Math.min(2 * ttl, 20 * Plan.SECOND));
  }

  /** Lets go of a lease, once or twice. */
  static void release(World world, Handle handle) {
    if (handle.releaseAsked) {
      return;
    }
    world.judge.leases.releaseAsked(handle);
    handle
        .hold
        .releaseAsync()
        .whenComplete(
            (done, failure) ->
                world.judge.leases.releaseEnded(handle, failure == null ? null : cause(failure)));
    // Once more, now or later, does nothing.
    if (handle.call.number % 8 == 1) {
      handle.call.process.later(
          handle.call.number % 16 == 1 ? 0 : Plan.MS, handle.hold::releaseAsync);
    }
  }
}
