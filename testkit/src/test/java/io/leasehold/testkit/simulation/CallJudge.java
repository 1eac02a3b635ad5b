package io.leasehold.testkit.simulation;

import io.leasehold.ClientClosedException;
import io.leasehold.Lease;
import io.leasehold.LockTimeoutException;
import io.leasehold.StoreException;
import io.leasehold.internal.Hold;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;

/** Judges calls: how they end, when, and in which order. */
final class CallJudge {
  private final World world;
  private final Judge judge;
  private final Map<String, Long> highest = new HashMap<>();
  private final Set<String> tokens = new HashSet<>();
  private int calls;

  CallJudge(World world, Judge judge) {
    this.world = world;
    this.judge = judge;
  }

  Call invoked(
      SimulatedProcess process,
      String name,
      long maxWait,
      long ttl,
      boolean fair,
      boolean renewed,
      long maxHold) {
    Call call =
        new Call(
            calls++,
            process,
            name,
            maxWait,
            ttl,
            fair,
            renewed,
            maxHold,
            world.time.now(),
            highest.getOrDefault(name, 0L));
    judge.pending.add(call);
    judge.invoking = call;
    if (world.trace.on()) {
      world.trace.line(
          process.name,
          call
              + " acquire "
              + name
              + " wait="
              + Judge.ms(maxWait)
              + " ttl="
              + Judge.ms(ttl)
              + (fair ? " fair" : "")
              + (renewed ? "" : " unrenewed")
              + (maxHold > 0 ? " maxHold=" + Judge.ms(maxHold) : ""));
    }
    return call;
  }

  void returned(Call call) {
    judge.invoking = null;
    long most = call.isTry() ? world.plan.requestTimeout() + 100 * Plan.MS : call.maxWait;
    call.process.later(most + Judge.SLACK, () -> mustHaveEnded(call, most));
  }

  private void mustHaveEnded(Call call, long most) {
    if (call.isPending() && call.process.hasJustResumed()) {
      call.process.later(Judge.SLACK, () -> mustHaveEnded(call, most));
    } else if (call.isPending()) {
      judge.fail(
          Check.DEADLINE,
          call + " at " + call.process.name + " was to end within " + Judge.ms(most));
    }
  }

  Handle granted(Call call, Lease lease) {
    judge.pending.remove(call);
    if (!call.isPending()) {
      judge.fail(Check.FAILURE, call + " was granted after it had ended: " + call.end);
    }
    call.end = Call.End.GRANTED;
    Hold hold = (Hold) lease;
    boolean fenced = world.plan.has(Feature.FENCING);
    Handle handle = new Handle(call, hold, fenced ? hold.fencingToken() : 0, world.time.now());
    world.trace.line(
        call.process.name,
        call
            + " granted "
            + world.trace.id(handle.id)
            + " token "
            + (handle.token >> 10)
            + "."
            + (handle.token & 1023));
    world.saw(Sometimes.GRANTED);
    if (call.waited) {
      world.saw(Sometimes.GRANTED_AFTER_WAIT);
    }
    if (world.isDraining()) {
      world.saw(Sometimes.SERVED_AFTER_HEAL);
    }
    judge.handles.add(handle);
    judge.leases.begins(handle);
    Acquisition id = judge.ids.get(handle.id);
    if (id == null) {
      judge.fail(Check.FAILURE, call + " was granted " + handle.id + ", which was never asked for");
      return handle;
    }
    if (id.last != null) {
      world.saw(id.wanted ? Sometimes.HAND_OVER_WANTED : Sometimes.HAND_OVER);
      checkHandOver(call, id, hold);
      if (id.last.isOpen()) {
        judge.fail(
            Check.EXCLUSION,
            call
                + " was handed "
                + world.trace.id(handle.id)
                + " while "
                + id.last.call
                + " has it");
      }
    }
    id.last = handle;
    if (fenced) {
      checkToken(call, handle);
    }
    checkOrder(call, handle);
    hold.onLost(() -> judge.leases.lost(handle));
    return handle;
  }

  private void checkHandOver(Call call, Acquisition id, Hold hold) {
    if (call.process.hasJustResumed()) {
      return;
    }
    long until = world.time.now() - id.validChanged < Judge.SLACK ? id.validBefore : id.validUntil;
    boolean over = until - call.process.nanos() < Judge.SLACK || call.maxHold > 0;
    if (!over && !hold.isHeld() && !judge.isClosing(call.process) && !id.revoked && !id.lostTold) {
      judge.fail(Check.HAND_OVER, call + " was handed a lease in doubt");
    }
    long now = call.process.nanos() - Judge.SLACK;
    if (now - id.validSent > id.ttl / 3 * 2) {
      judge.fail(Check.HAND_OVER, call + " was handed a lease in jeopardy");
    }
    if (!id.wanted && now - id.validSent > 50 * Plan.MS) {
      judge.fail(Check.HAND_OVER, call + " was handed a lease on an old word that nobody waits");
    }
    if (id.wanted && now - id.wantedSince > world.plan.handOver()) {
      judge.fail(
          Check.HAND_OVER, call + " was handed a lease that others have waited for too long");
    }
  }

  private void checkToken(Call call, Handle handle) {
    // Until it is noticed that an operator broke a lease, the lower token protects.
    if (handle.token <= call.floor && !judge.ids.get(handle.id).revoked) {
      judge.fail(
          Check.TOKENS,
          call
              + " got token "
              + handle.token
              + ", but "
              + call.floor
              + " had been granted before it was called");
    }
    if (!tokens.add(call.name + " " + handle.token)) {
      judge.fail(Check.TOKENS, call + " got token " + handle.token + " a second time");
    }
    highest.merge(call.name, handle.token, Math::max);
  }

  private void checkOrder(Call call, Handle handle) {
    if (call.overtakenBy != 0 && handle.token > call.overtakenBy) {
      judge.fail(
          Check.LOCAL_ORDER,
          call
              + " was overtaken inside its process: it got a later token than one that came after"
              + " it");
    }
    if (!world.plan.has(Feature.FENCING)) {
      return;
    }
    for (Call earlier : judge.pending) {
      if (earlier.process == call.process
          && earlier.name.equals(call.name)
          && earlier.number < call.number
          && !earlier.fair
          && !call.fair
          && !earlier.isTry()
          && earlier.overtakenBy == 0) {
        earlier.overtakenBy = handle.token;
        earlier.overtakenAt = world.time.now();
      }
    }
    if (call.fair) {
      checkFairOrder(call, handle);
    }
  }

  private void checkFairOrder(Call call, Handle handle) {
    world.saw(Sometimes.FAIR_GRANT);
    if (judge.pending.stream()
        .anyMatch(c -> c.fair && c.process != call.process && c.name.equals(call.name))) {
      world.saw(Sometimes.FAIR_ACROSS_PROCESSES);
    }
    Acquisition own = call.ticket == null ? null : judge.ids.get(call.ticket);
    if (own == null || !own.queued || own.lapsed || !handle.id.equals(call.ticket)) {
      return;
    }
    for (Handle other : judge.handles) {
      if (other != handle
          && other.call.fair
          && other.call.name.equals(call.name)
          && other.call.invokedAt > own.queuedAt
          && other.token < handle.token) {
        judge.fail(
            Check.FAIR_ORDER,
            call + " had its place before " + other.call + " was called, but got a later token");
      }
    }
  }

  void failed(Call call, Throwable failure) {
    judge.pending.remove(call);
    if (call.end == Call.End.CANCELLED) {
      return;
    }
    call.end = Call.End.FAILED;
    if (world.trace.on()) {
      world.trace.line(
          call.process.name,
          call + " failed: " + failure.getClass().getSimpleName() + Judge.kind(failure));
    }
    long took = call.process.nanos() - call.invokedOwn;
    if (failure instanceof LockTimeoutException) {
      world.saw(call.isTry() ? Sometimes.BUSY_TRY : Sometimes.TIMED_OUT);
      if (took < call.maxWait) {
        judge.fail(
            Check.FAILURE,
            call + " gave up after " + Judge.ms(took) + " of " + Judge.ms(call.maxWait));
      }
    } else if (failure instanceof ClientClosedException) {
      if (!judge.isClosing(call.process)) {
        judge.fail(Check.FAILURE, call + " failed as closed, but nobody closed the client");
      }
      world.saw(Sometimes.CLOSED_WHILE_WAITED);
    } else if (!(failure instanceof StoreException)
        && !(failure instanceof CancellationException)) {
      judge.fail(Check.FAILURE, call + " failed with " + failure);
    } else if (world.plan.isCalm()
        && !world.plan.has(Feature.SESSIONS)
        && (call.isTry() || call.maxWait > 4 * world.plan.slowest() + Judge.SLACK)) {
      judge.fail(Check.FAILURE, call + " failed with " + failure + " in calm weather");
    }
    if (call.overtakenBy != 0
        && world.time.now() - call.overtakenAt > 2 * Judge.SLACK
        && !judge.isClosing(call.process)) {
      judge.fail(
          Check.LOCAL_ORDER,
          call + " ended with nothing, but one that came after it was granted before");
    }
  }

  void cancelled(Call call) {
    if (call.isPending()) {
      world.trace.line(call.process.name, call + " cancel");
      world.saw(Sometimes.CANCELLED);
      call.end = Call.End.CANCELLED;
      judge.pending.remove(call);
      judge.lastCancel.put(call.process.name + call.name, world.time.now());
    }
  }

  void crashed(SimulatedProcess process) {
    for (Call call : List.copyOf(judge.pending)) {
      if (call.process == process) {
        call.end = Call.End.CRASHED;
        judge.pending.remove(call);
      }
    }
  }
}
