package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.LockTimeoutException;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.spi.LeaseId;
import io.leasehold.testkit.simulation.ThreadedCall.Holding;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;

/** Hears of everything that happens where callers have threads, and says which promise it broke. */
final class ThreadedJudge {
  /** A pause between one process's waiters and the next one's may be as long. */
  static final long COURTESY = 1_200 * Plan.MS;

  final List<ThreadedCall> pending = new ArrayList<>();
  final ThreadedLeaseJudge leases;
  private final ThreadedWorld world;
  private final Map<String, Long> answers = new HashMap<>();
  private final Map<String, Integer> slowCode = new HashMap<>();
  private final Map<String, Long> slowUntil = new HashMap<>();
  private int calls;
  private Violation found;

  ThreadedJudge(ThreadedWorld world) {
    this.world = world;
    this.leases = new ThreadedLeaseJudge(world, this);
  }

  Violation found() {
    return found;
  }

  void fail(Check check, String message) {
    if (found == null) {
      found = new Violation(check, message);
      world.trace.line("judge", found.getMessage());
    }
  }

  /** Thrown on a thread of the simulation, where no code caught it. */
  void thrown(Strand strand, Throwable thrown) {
    if (!SimulatedFaults.isOurs(thrown)) {
      StackTraceElement[] at = thrown.getStackTrace();
      fail(Check.THROWN, strand + " " + thrown + (at.length > 0 ? " at " + at[0] : ""));
      found.initCause(thrown);
    }
  }

  /** Nothing is exact: a thread begins to run a little late, and ends its request in its time. */
  long slack() {
    return 5 * Plan.MS + 8 * world.plan.jitter + 2 * world.plan.slowest;
  }

  private static String key(ThreadedProcess process, String name) {
    return process.name + " " + name;
  }

  // ---- the store and the user

  /** The store answered a request of this process for this name. */
  void answered(ThreadedProcess process, String name) {
    answers.put(key(process, name), world.time.now());
  }

  /** Code of the user begins or ends to take long. */
  void userCode(String what, int change) {
    slowCode.merge(what, change, Integer::sum);
    slowUntil.put(what, world.time.now());
  }

  /** Whether such code has taken long since. */
  boolean wasSlow(String what, long since) {
    return slowCode.getOrDefault(what, 0) > 0 || slowUntil.getOrDefault(what, -1L) >= since;
  }

  void event(ThreadedProcess process, LockEvent event) {
    if (world.trace.on()) {
      world.trace.line(process.name, "! " + event.getClass().getSimpleName() + " " + event.name());
    }
    if (event instanceof LockEvent.Acquired acquired) {
      for (Holding h : leases.all()) {
        long late = world.time.now() - h.grantedAt;
        if (h.token == acquired.fencingToken()
            && h.name.equals(acquired.name())
            && late > 100 * Plan.MS + slack()
            && !wasSlow("listener", h.grantedAt)
            && !wasSlow("logger", h.grantedAt)) {
          fail(Check.EVENT, h + " was told as an event " + Judge.ms(late) + " late");
        }
      }
    } else if (event instanceof LockEvent.Lost lost
        && lost.reason() == LockEvent.Lost.Reason.EXPIRED) {
      leases.expired(LeaseId.parse(lost.leaseId()));
    }
  }

  // ---- calls

  ThreadedCall invoked(ThreadedProcess process, List<String> names, Wish wish, boolean async) {
    long first = world.time.now();
    for (ThreadedCall other : pending) {
      if (other.process == process && other.names.stream().anyMatch(names::contains)) {
        first = Math.min(first, other.invokedAt);
      }
    }
    List<Long> floors = names.stream().map(name -> leases.floor(name, wish)).toList();
    Strand strand = async ? null : Strand.current();
    ThreadedCall call =
        new ThreadedCall(calls++, process, names, wish, strand, world.time.now(), first, floors);
    pending.add(call);
    if (world.trace.on()) {
      world.trace.line(
          Strand.current().name,
          call + (async ? " acquireAsync " : " acquire ") + names + " " + wish);
    }
    long most = longest(call);
    if (async && most < Wish.FOR_EVER / 2) {
      world.time.in(most + slack() + 1, () -> mustHaveEnded(call));
    }
    return call;
  }

  /** A try takes a request, a reader's two; several are let go again before it ends. */
  private long longest(ThreadedCall call) {
    int requests = call.isForSeveral() ? call.names.size() + 1 : call.wish.isShared() ? 2 : 1;
    return call.wish.isTry()
        ? requests * (world.plan.requestTimeout + 100 * Plan.MS)
        : call.wish.maxWait();
  }

  private void mustHaveEnded(ThreadedCall call) {
    long took = world.time.now() - call.invokedAt - call.kept();
    if (!call.ended && took > longest(call) + slack()) {
      fail(Check.DEADLINE, call + " was to end within " + Judge.ms(longest(call)));
    }
  }

  private void ends(ThreadedCall call, String how) {
    mustHaveEnded(call);
    call.ended = true;
    call.endedAt = world.time.now();
    pending.remove(call);
    if (world.trace.on()) {
      world.trace.line(Strand.current().name, call + " " + how);
    }
    long since = world.time.now() - call.interruptedAt - call.kept();
    if (call.interruptedAt > 0 && since > world.plan.requestTimeout + slack()) {
      fail(Check.INTERRUPT, call + " was interrupted, and ended " + Judge.ms(since) + " later");
    }
  }

  void cancelled(ThreadedCall call) {
    if (!call.ended) {
      world.saw(Situation.CANCELLED);
      ends(call, "cancelled");
    }
  }

  List<Holding> granted(ThreadedCall call, List<Lease> granted) {
    ends(call, "granted");
    world.saw(call.isForSeveral() ? Situation.SEVERAL_GRANTED : Situation.GRANTED);
    if (call.wish.fair()) {
      world.saw(Situation.FAIR_GRANTED);
    }
    if (!call.wish.isAlone()) {
      world.saw(call.wish.isShared() ? Situation.SHARED_GRANTED : Situation.PERMITS_GRANTED);
    }
    return granted.stream().map(lease -> leases.begins(call, lease)).toList();
  }

  void failed(ThreadedCall call, Throwable failure) {
    ends(call, failure.getClass().getSimpleName() + Judge.kind(failure));
    world.saw(SimulatedFaults.isOurs(failure) ? Situation.FAULT_THROWN : Situation.FAILED);
    if (failure instanceof LockTimeoutException) {
      busy(call);
    } else if (failure instanceof InterruptedException) {
      world.saw(Situation.INTERRUPTED);
      if (call.interruptedAt == 0) {
        fail(Check.INTERRUPT, call + " says that it was interrupted, but it was not");
      }
    } else if (!(failure instanceof StoreException)
        && !(failure instanceof CancellationException)
        && !SimulatedFaults.isOurs(failure)) {
      fail(Check.FAILURE, call + " failed with " + failure);
      found.initCause(failure);
    }
  }

  /** R12: only if the store said so of one of these names, or it was held here. */
  void busy(ThreadedCall call) {
    if (!call.ended) {
      ends(call, "busy");
    }
    world.saw(call.wish.isTry() ? Situation.BUSY : Situation.TIMED_OUT);
    long took = call.endedAt - call.invokedAt;
    if (took < call.wish.maxWait()) {
      fail(Check.FAILURE, call + " gave up after " + Judge.ms(took));
    }
    for (String name : call.names) {
      long answered = answers.getOrDefault(key(call.process, name), Long.MIN_VALUE / 2);
      boolean held =
          leases.all().stream()
              .anyMatch(h -> h.call.process == call.process && h.name.equals(name));
      if (held || answered >= call.firstBegan - COURTESY) {
        return;
      }
    }
    fail(Check.BUSY, call + " was told that " + call.names + " is busy, but nobody had said so");
  }
}
