package io.leasehold.testkit.simulation;

import io.leasehold.LockSnapshot;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.simulation.Violation.Check;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Judges refusals: who comes with another kind or size than a name is in use as, and only he. */
final class KindJudge {
  private final World world;
  private final Judge judge;

  /** When the store last had a name as a kind. */
  private final Map<String, Map<Integer, Long>> lastUse = new HashMap<>();

  /** When a call last ended that wanted a name as a kind, by process and name. */
  private final Map<String, Map<Integer, Long>> lastWish = new HashMap<>();

  KindJudge(World world, Judge judge) {
    this.world = world;
    this.judge = judge;
  }

  private boolean isQuiet() {
    return world.plan.uses().clashes() == 0;
  }

  void invoked(Call call) {
    if (isQuiet()) {
      return;
    }
    call.mayBeRefused =
        judge.pending.stream().anyMatch(c -> isOther(call, c.process, c.name, c.wish.kind()))
            || judge.multis.wants(call.process, call.name, call.wish.kind());
    call.mustBeRefused =
        judge.handles.stream()
            .anyMatch(
                h ->
                    h.isOpen()
                        && isOther(call, h.call.process, h.call.name, h.call.wish.kind())
                        && h.hold.isHeld());
  }

  private static boolean isOther(Call call, SimulatedProcess process, String name, int kind) {
    return process == call.process && name.equals(call.name) && kind != call.wish.kind();
  }

  void look() {
    if (isQuiet()) {
      return;
    }
    for (LockSnapshot name : world.server.list()) {
      name.holders().forEach(h -> sees(name.name(), h.leaseId()));
      name.waiters().forEach(w -> sees(name.name(), w.leaseId()));
    }
  }

  private void sees(String name, String leaseId) {
    inUse(name, judge.ids.get(LeaseId.parse(leaseId)).kind());
  }

  private void inUse(String name, int kind) {
    lastUse.computeIfAbsent(name, n -> new HashMap<>()).put(kind, world.time.now());
  }

  void ended(Call call) {
    if (!isQuiet()) {
      lastWish
          .computeIfAbsent(call.process.name + call.name, n -> new HashMap<>())
          .put(call.wish.kind(), world.time.now());
    }
  }

  /** The store let a ticket hold or wait. */
  void left(Ticket ticket) {
    if (!isQuiet()) {
      inUse(ticket.name(), Wish.kind(ticket.mode(), ticket.limit()));
    }
  }

  void refused(List<Call> calls, Object who) {
    for (Call call : calls) {
      if (wasElsewhere(call)) {
        world.saw(Sometimes.KIND_REFUSED_BY_STORE);
        return;
      }
      if (call.mayBeRefused || call.mustBeRefused || wasHere(call)) {
        world.saw(Sometimes.KIND_REFUSED_HERE);
        return;
      }
    }
    judge.fail(Check.KIND, who + " was refused, but the name was in use as no other kind");
  }

  /** As far as an attempt said that was under way for those who came before. */
  private boolean wasElsewhere(Call call) {
    long since = call.invokedAt - world.plan.requestTimeout();
    return hadOther(lastUse.get(call.name), call, since);
  }

  private static boolean hadOther(Map<Integer, Long> kinds, Call call, long since) {
    return kinds != null
        && kinds.entrySet().stream()
            .anyMatch(e -> e.getKey() != call.wish.kind() && e.getValue() >= since);
  }

  /**
   * Whether its process has wanted or had another kind since it was made, perhaps in a lease that
   * it lets go.
   */
  private boolean wasHere(Call call) {
    return judge.pending.stream().anyMatch(c -> isOther(call, c.process, c.name, c.wish.kind()))
        || hadOther(lastWish.get(call.process.name + call.name), call, call.invokedAt)
        || judge.ids.values().stream()
            .anyMatch(
                id ->
                    isOther(call, id.process, id.name, id.kind())
                        && id.heldOnce
                        && (id.endedAt == 0 || id.endedAt >= call.invokedAt || isLetGo(id)));
  }

  /** Whether its process still waits for the answer to its last request to let go of it. */
  private boolean isLetGo(Acquisition id) {
    long waited = id.process.nanos() - id.removalSent;
    return (id.releaseSent || id.withdrawSent)
        && !id.removalAnswered
        && waited <= world.plan.requestTimeout() + Judge.SLACK;
  }

  void notRefused(Call call, String instead) {
    if (call.mustBeRefused) {
      judge.fail(
          Check.KIND, call + " " + instead + ", but its process holds the name as another kind");
    }
  }

  /** The store said that the name is in use as another kind: no caller goes on waiting. */
  void answered(SimulatedProcess process, Ticket ticket) {
    List<Call> told =
        judge.pending.stream()
            .filter(
                c ->
                    c.process == process
                        && c.name.equals(ticket.name())
                        && c.wish.isAskedBy(ticket)
                        && !c.wish.fair()
                        && !c.isTry()
                        && ticket.intent() == Ticket.Intent.QUEUE
                        && c.wish.ttl() == ticket.ttl().toNanos())
            .toList();
    // A late answer is not for them
    if (told.isEmpty() || world.plan.tardy() > 0) {
      return;
    }
    process.later(
        Judge.SLACK,
        () ->
            told.stream()
                .filter(c -> c.isPending() && !process.hasJustResumed())
                .forEach(
                    c ->
                        judge.fail(
                            Check.KIND, c + " waits, though the store has another kind there")));
  }
}
