package io.leasehold.testkit.simulation;

import io.leasehold.ClientClosedException;
import io.leasehold.LockKindException;
import io.leasehold.LockTimeoutException;
import io.leasehold.MultiLease;
import io.leasehold.StoreException;
import io.leasehold.internal.Hold;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/** Judges calls for several locks as one: all or nothing, in one deadline. */
final class MultiJudge {
  private final World world;
  private final Judge judge;
  private final List<MultiCall> recent = new ArrayList<>();

  MultiJudge(World world, Judge judge) {
    this.world = world;
    this.judge = judge;
  }

  List<MultiCall> pending() {
    return recent.stream().filter(MultiCall::isPending).toList();
  }

  /** How many leases they still need to be granted. */
  int wanted() {
    return recent.stream().filter(MultiCall::isPending).mapToInt(m -> 2 * m.parts.size()).sum();
  }

  /** Whether a lease of this name may be one that a call has taken, or has just let go. */
  boolean mayHave(SimulatedProcess process, String name) {
    // What it had may be asked about once more before it is released
    long most = world.plan.requestTimeout() + 2 * Judge.SLACK;
    recent.removeIf(m -> !m.isPending() && world.time.now() - m.endedAt > most);
    return recent.stream().anyMatch(m -> m.process == process && m.takes(name));
  }

  boolean wants(SimulatedProcess process, String name, int otherThan) {
    return otherThan != 0 && mayHave(process, name);
  }

  MultiCall invoked(SimulatedProcess process, List<String> names, Wish wish) {
    int number = judge.calls.nextNumber();
    List<Call> parts =
        names.stream()
            .sorted()
            .map(
                name ->
                    Call.part(
                        number,
                        process,
                        name,
                        wish,
                        world.time.now(),
                        judge.grants.floor(name, wish)))
            .toList();
    parts.forEach(judge.kinds::invoked);
    MultiCall call = new MultiCall(number, process, wish, parts, world.time.now());
    recent.add(call);
    if (world.trace.on()) {
      world.trace.line(process.name, call + " acquire all of " + names + " " + wish);
    }
    return call;
  }

  void returned(MultiCall call) {
    long once = (call.parts.size() + 1) * (world.plan.requestTimeout() + 100 * Plan.MS);
    long most = call.wish.isTry() ? once : call.wish.maxWait();
    call.process.later(most + 2 * Judge.SLACK, () -> mustHaveEnded(call, most));
  }

  private void mustHaveEnded(MultiCall call, long most) {
    if (call.isPending() && call.process.hasJustResumed()) {
      // Its time ran out meanwhile: what it has is let go, by one more request
      long rollback = world.plan.requestTimeout() + 2 * Judge.SLACK;
      call.process.later(rollback, () -> mustHaveEnded(call, most));
    } else if (call.isPending()) {
      judge.fail(
          Check.DEADLINE,
          call + " at " + call.process.name + " was to end within " + Judge.ms(most));
    }
  }

  List<Handle> granted(MultiCall call, MultiLease lease) {
    if (!call.isPending()) {
      judge.fail(Check.FAILURE, call + " was granted after it had ended: " + call.end);
    }
    ended(call, Call.End.GRANTED);
    world.trace.line(call.process.name, call + " granted all");
    world.saw(call.losses > 0 ? Sometimes.SEVERAL_RESTARTED : Sometimes.SEVERAL_GRANTED);
    List<String> names = lease.leases().stream().map(l -> l.name()).toList();
    if (!names.equals(call.parts.stream().map(p -> p.name).toList())) {
      judge.fail(Check.ALL_OR_NOTHING, call + " was granted " + names);
      return List.of();
    }
    if (!lease.isHeld() && call.wish.maxHold() == 0) {
      judge.fail(Check.ALL_OR_NOTHING, call + " was granted, but not all of it is held");
    }
    boolean fenced = world.plan.has(Feature.FENCING);
    List<Handle> handles = new ArrayList<>();
    for (Call part : call.parts) {
      Hold hold = (Hold) lease.get(part.name);
      Handle handle = new Handle(part, hold, fenced ? hold.fencingToken() : 0, world.time.now());
      part.end = Call.End.GRANTED;
      handles.add(handle);
      judge.calls.given(part, handle);
    }
    return handles;
  }

  private void ended(MultiCall call, Call.End how) {
    call.end = how;
    call.endedAt = world.time.now();
    call.parts.forEach(p -> judge.lastCancel.put(call.process.name + p.name, world.time.now()));
  }

  void failed(MultiCall call, Throwable failure) {
    if (call.end == Call.End.CANCELLED) {
      return;
    }
    ended(call, Call.End.FAILED);
    if (world.trace.on()) {
      world.trace.line(
          call.process.name,
          call + " failed: " + failure.getClass().getSimpleName() + Judge.kind(failure));
    }
    long took = call.process.nanos() - call.invokedOwn;
    if (failure instanceof LockTimeoutException) {
      world.saw(call.wish.isTry() ? Sometimes.SEVERAL_BUSY : Sometimes.SEVERAL_TIMED_OUT);
      if (took < call.wish.maxWait()) {
        judge.fail(
            Check.FAILURE,
            call + " gave up after " + Judge.ms(took) + " of " + Judge.ms(call.wish.maxWait()));
      }
    } else if (failure instanceof LockKindException) {
      judge.kinds.refused(call.parts, call);
    } else if (failure instanceof ClientClosedException) {
      if (!judge.isClosing(call.process)) {
        judge.fail(Check.FAILURE, call + " failed as closed, but nobody closed the client");
      }
    } else if (!(failure instanceof StoreException)
        && !(failure instanceof CancellationException)) {
      judge.fail(Check.FAILURE, call + " failed with " + failure);
    } else if (world.plan.isCalm() && !world.plan.has(Feature.SESSIONS) && call.wish.isTry()) {
      judge.fail(Check.FAILURE, call + " failed with " + failure + " in calm weather");
    }
  }

  void cancelled(MultiCall call) {
    world.trace.line(call.process.name, call + " cancel");
    world.saw(Sometimes.SEVERAL_CANCELLED);
    ended(call, Call.End.CANCELLED);
  }

  void crashed(SimulatedProcess process) {
    recent.stream()
        .filter(m -> m.isPending() && m.process == process)
        .forEach(m -> ended(m, Call.End.CRASHED));
  }

  /** A lease that no caller has in hand was lost: one that such a call had taken. */
  void partLost(SimulatedProcess process, String name) {
    recent.stream()
        .filter(m -> m.isPending() && m.process == process && m.takes(name))
        .forEach(m -> m.losses++);
  }
}
