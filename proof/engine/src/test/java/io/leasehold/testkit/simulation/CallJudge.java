package io.leasehold.testkit.simulation;

import io.leasehold.ClientClosedException;
import io.leasehold.Lease;
import io.leasehold.LockKindException;
import io.leasehold.LockTimeoutException;
import io.leasehold.StoreException;
import io.leasehold.internal.Hold;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.List;
import java.util.concurrent.CancellationException;

/** Judges calls: how they end, when, and in which order. */
final class CallJudge {
  private final World world;
  private final Judge judge;
  private int calls;

  CallJudge(World world, Judge judge) {
    this.world = world;
    this.judge = judge;
  }

  int nextNumber() {
    return calls++;
  }

  Call invoked(SimulatedProcess process, String name, Wish wish) {
    long floor = judge.grants.floor(name, wish);
    Call call = new Call(nextNumber(), process, name, wish, world.time.now(), floor);
    judge.kinds.invoked(call);
    judge.leases.invoked(call);
    call.mustFindBusy = wish.isTry() && !wish.isAlone() && judge.store.isWaitedFor(process, name);
    judge.pending.add(call);
    judge.invoking = call;
    if (world.trace.on()) {
      world.trace.line(process.name, call + " acquire " + name + " " + wish);
    }
    return call;
  }

  void returned(Call call) {
    judge.invoking = null;
    // A reader's try may ask whether it may join, and then make an attempt of its own.
    int requests = call.wish.isShared() ? 2 : 1;
    long request = world.plan.requestTimeout();
    long most = call.isTry() ? requests * request + 100 * Plan.MS : call.wish.maxWait();
    // Its time may run out in a pause, during the first of its requests
    long more = (call.isTry() ? (requests - 1) * request : 0) + Judge.SLACK;
    call.process.later(most + Judge.SLACK, () -> mustHaveEnded(call, most, more));
    if (call.mustBeRefused) {
      call.process.later(Judge.SLACK, () -> mustBeRefused(call));
    }
  }

  private void mustBeRefused(Call call) {
    if (call.isPending() && !call.process.hasJustResumed()) {
      judge.kinds.notRefused(call, "waits");
    }
  }

  private void mustHaveEnded(Call call, long most, long more) {
    if (call.isPending() && call.process.hasJustResumed()) {
      call.process.later(more, () -> mustHaveEnded(call, most, more));
    } else if (call.isPending()) {
      judge.fail(
          Check.DEADLINE,
          call + " at " + call.process.name + " was to end within " + Judge.ms(most));
    }
  }

  Handle granted(Call call, Lease lease) {
    judge.ended(call);
    if (!call.isPending()) {
      judge.fail(Check.FAILURE, call + " was granted after it had ended: " + call.end);
    }
    call.end = Call.End.GRANTED;
    Hold hold = (Hold) lease;
    boolean fenced = world.plan.has(Feature.FENCING);
    Handle handle = new Handle(call, hold, fenced ? hold.fencingToken() : 0, world.time.now());
    judge.kinds.notRefused(call, "was granted");
    given(call, handle);
    return handle;
  }

  /** A lease is in a caller's hands now. */
  void given(Call call, Handle handle) {
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
    judge.grants.granted(call, handle);
    handle.hold.onLost(() -> judge.leases.lost(handle));
  }

  void failed(Call call, Throwable failure) {
    judge.ended(call);
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
      if (call.mustFindBusy) {
        world.saw(Sometimes.TRY_BEHIND_WAITERS);
      }
      judge.kinds.notRefused(call, "timed out");
      if (took < call.wish.maxWait()) {
        judge.fail(
            Check.FAILURE,
            call + " gave up after " + Judge.ms(took) + " of " + Judge.ms(call.wish.maxWait()));
      }
    } else if (failure instanceof LockKindException) {
      judge.kinds.refused(List.of(call), call);
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
        && (call.isTry() || call.wish.maxWait() > 4 * world.plan.slowest() + Judge.SLACK)) {
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
      judge.ended(call);
      judge.lastCancel.put(call.process.name + call.name, world.time.now());
    }
  }

  void crashed(SimulatedProcess process) {
    judge.multis.crashed(process);
    for (Call call : List.copyOf(judge.pending)) {
      if (call.process == process) {
        call.end = Call.End.CRASHED;
        judge.ended(call);
      }
    }
  }
}
