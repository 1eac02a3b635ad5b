package io.leasehold.testkit.simulation;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Somebody in a process who again and again wants a lock, holds it for a while, and lets go. */
final class Caller {
  private static final long LONG = 36_000 * Plan.SECOND;

  private final World world;
  private final SimulatedProcess process;
  private final Dice dice;
  private final boolean likesFair;

  Caller(World world, SimulatedProcess process, Dice dice) {
    this.world = world;
    this.process = process;
    this.dice = dice;
    this.likesFair =
        world.plan.has(io.leasehold.testkit.InMemorySettings.Feature.QUEUE) && dice.chance(0.4);
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
    long ttl = dice.pick(world.plan.ttls());
    long maxWait = maxWait();
    boolean fair = likesFair && maxWait > 0 && dice.chance(0.8);
    boolean renewed = !dice.chance(0.1);
    long maxHold = dice.chance(0.08) ? dice.spread(5 * Plan.MS, 2 * Plan.SECOND) : 0;
    LockOptions options = LockOptions.defaults().withTtl(Duration.ofNanos(ttl));
    options = fair ? options.fair() : options;
    options = renewed ? options : options.withoutRenewal();
    options = maxHold > 0 ? options.withMaxHold(Duration.ofNanos(maxHold)) : options;
    String name = "n" + dice.between(1, world.plan.names());
    DistributedLock lock = process.engine.lock(name).with(options);

    Call call = world.judge.calls.invoked(process, name, maxWait, ttl, fair, renewed, maxHold);
    CompletableFuture<Lease> future =
        lock.acquireAsync(maxWait >= LONG ? Duration.ofDays(10_000) : Duration.ofNanos(maxWait))
            .toCompletableFuture();
    call.future = future;
    world.judge.calls.returned(call);
    future.whenComplete((lease, failure) -> ended(call, lease, failure));
    if (maxWait > 0 && dice.chance(0.15)) {
      process.later(dice.spread(10_000, Plan.SECOND), () -> cancel(call));
    }
  }

  private long maxWait() {
    if (dice.chance(world.plan.tries())) {
      return 0;
    }
    return dice.chance(0.4) ? LONG : dice.spread(100_000, 4 * Plan.SECOND);
  }

  private void cancel(Call call) {
    if (call.isPending()) {
      world.judge.calls.cancelled(call);
      call.future.cancel(true);
      begin();
    }
  }

  private void ended(Call call, Lease lease, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause != null) {
      boolean again = call.end != Call.End.CANCELLED;
      world.judge.calls.failed(call, cause);
      if (again) {
        begin();
      }
      return;
    }
    Handle handle = world.judge.calls.granted(call, lease);
    process.later(holdFor(call), () -> release(handle));
  }

  private long holdFor(Call call) {
    if (world.isDraining()) {
      return dice.between(0, 5 * Plan.MS);
    }
    if (dice.chance(0.55)) {
      return dice.spread(1_000, 10 * Plan.MS);
    }
    if (dice.chance(0.04)) {
      return LONG;
    }
    return dice.chance(0.8)
        ? dice.spread(Plan.MS, 300 * Plan.MS)
        : dice.spread(Plan.MS, Math.min(2 * call.ttl, 20 * Plan.SECOND));
  }

  private void release(Handle handle) {
    release(world, handle);
    begin();
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
                world.judge.leases.releaseEnded(
                    handle,
                    failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure));
    // Once more, now or later, does nothing.
    if (handle.call.number % 8 == 1) {
      handle.call.process.later(
          handle.call.number % 16 == 1 ? 0 : Plan.MS, handle.hold::releaseAsync);
    }
  }
}
