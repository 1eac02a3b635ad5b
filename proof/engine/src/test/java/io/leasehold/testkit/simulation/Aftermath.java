package io.leasehold.testkit.simulation;

import io.leasehold.LockMode;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine.Ledger;
import io.leasehold.spi.LeaseId;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What must come true once all faults have healed. */
final class Aftermath {
  private static final int MOST_EVENTS = 100_000;

  /** So long do calls last that may never get what they want. */
  private static final long LONGEST_VAIN_CALL = 4 * Plan.SECOND;

  private final World world;
  private final Plan plan;
  private final List<SimulatedProcess> processes;
  private final Simulation simulation;
  private final Dice dice;

  Aftermath(World world, List<SimulatedProcess> processes, Simulation simulation, Dice dice) {
    this.world = world;
    this.plan = world.plan;
    this.processes = processes;
    this.simulation = simulation;
    this.dice = dice;
  }

  /** R9, R10, R11: within about a second and a poll, or the ttl of a crashed holder. */
  void everybodyIsServed(boolean nobodyCloses) {
    for (SimulatedProcess process : processes) {
      if (process.isAlive() && process.engine.ledger().limbo() > 0) {
        world.saw(Sometimes.LIMBO_AT_HEAL);
      }
    }
    for (Handle handle : List.copyOf(world.judge.handles)) {
      if (handle.isOpen()) {
        handle.call.process.later(
            dice.between(0, 20 * Plan.MS), () -> Caller.release(world, handle));
      }
    }
    long poll =
        plan.isPolled() ? Math.min(Plan.SECOND, plan.store().poll().longest().toNanos()) : 0;
    long each = poll + 50 * Plan.MS + 4 * plan.slowest();
    int waiting = world.judge.pending.size() + world.judge.multis.wanted();
    boolean vain = world.judge.multis.pending().stream().anyMatch(m -> m.wish.mayNeverLast());
    long dead =
        processes.stream().allMatch(SimulatedProcess::isAlive) && nobodyCloses ? 0 : longestTtl();
    if (dead > 0 && waiting > 0) {
      world.saw(Sometimes.SERVED_AFTER_CRASH);
    }
    long asleep =
        processes.stream().anyMatch(p -> p.state() == SimulatedProcess.State.SUSPENDED)
            ? Nemesis.SHORTEST_SUSPENSION
            : 0;
    long by =
        world.time.now()
            + asleep
            + plan.latest()
            + plan.requestTimeout()
            + 1_200 * Plan.MS
            + poll
            + dead
            + dead / 50
            + (vain ? LONGEST_VAIN_CALL : 0)
            + (waiting + 1) * each;
    long most = simulation.events() + MOST_EVENTS;
    while (!isServed()) {
      if (simulation.events() > most) {
        throw stuck("after " + MOST_EVENTS + " events");
      }
      if (!simulation.step(by)) {
        if (!isServed()) {
          throw stuck(Judge.ms(by) + " after the beginning, in time");
        }
      }
    }
  }

  private long longestTtl() {
    return plan.ttls().stream().mapToLong(t -> t).max().orElse(0);
  }

  private boolean isServed() {
    return processes.stream().allMatch(p -> p.isRunning() || !p.isAlive())
        && world.judge.pending.isEmpty()
        && world.judge.multis.pending().isEmpty()
        && world.judge.handles.stream()
            .allMatch(
                h ->
                    !h.isOpen()
                        && (h.releaseEnded || !h.releaseAsked || !h.call.process.isAlive()));
  }

  private Violation stuck(String when) {
    StringBuilder who = new StringBuilder();
    world.judge.pending.forEach(
        c -> who.append(c).append('@').append(c.process.name).append(" waits; "));
    world.judge.handles.stream()
        .filter(
            h -> h.call.process.isAlive() && (h.isOpen() || (h.releaseAsked && !h.releaseEnded)))
        .forEach(
            h ->
                who.append(h.call)
                    .append('@')
                    .append(h.call.process.name)
                    .append(" has not released; "));
    world.judge.fail(Check.STUCK, "not everybody was served " + when + ": " + who + state());
    return world.judge.found();
  }

  private String state() {
    StringBuilder state = new StringBuilder();
    for (SimulatedProcess process : processes) {
      if (process.isAlive()) {
        state.append(process.name).append(' ').append(process.engine.ledger()).append("; ");
      }
    }
    for (LockSnapshot name : world.server.list()) {
      state.append(name.name()).append(" held by ");
      name.holders()
          .forEach(
              h ->
                  state
                      .append(show(h.leaseId()))
                      .append(" for ")
                      .append(h.remaining())
                      .append(' '));
      state.append("waited for by ");
      name.waiters().forEach(w -> state.append(show(w.leaseId())).append(' '));
    }
    return state.toString();
  }

  private String show(String id) {
    return world.trace.id(LeaseId.parse(id));
  }

  /** R9: neither in memory nor in the store. */
  void nothingIsLeft() {
    long by = world.time.now() + plan.latest() + plan.requestTimeout() + 2_500 * Plan.MS;
    long most = simulation.events() + MOST_EVENTS;
    while (!isClean()) {
      if ((!simulation.step(by) && !isClean()) || simulation.events() > most) {
        world.judge.fail(
            Check.LEFTOVER, (simulation.events() > most ? "busy for ever: " : "") + state());
        throw world.judge.found();
      }
    }
  }

  private boolean isClean() {
    for (SimulatedProcess process : processes) {
      if (process.isAlive() && !world.judge.isClosing(process) && !isZero(process)) {
        return false;
      }
    }
    return world.server.list().stream()
        .allMatch(
            n ->
                n.holders().stream().noneMatch(h -> isLeft(h.leaseId()))
                    && n.waiters().stream().noneMatch(w -> isLeft(w.leaseId())));
  }

  /**
   * A store without tombstones never says that an unknown outcome is final: its id stays in limbo
   * for a ttl.
   */
  private boolean isZero(SimulatedProcess process) {
    Ledger l = process.engine.ledger();
    int limbo = plan.has(Feature.TOMBSTONES) ? l.limbo() : 0;
    return new Ledger(l.names(), l.waiters(), l.tickets(), l.leases(), limbo, l.holds()).isZero();
  }

  /** What crashed or closed amid trouble may leave something until its ttl ends. */
  private boolean isLeft(String leaseId) {
    SimulatedProcess process = world.judge.processOf(LeaseId.parse(leaseId));
    return process.isAlive() && !world.judge.isClosing(process);
  }

  /** R14: with holders and waiters, in good weather. */
  void everythingCloses() {
    List<SimulatedProcess> open =
        processes.stream().filter(p -> p.isAlive() && !world.judge.isClosing(p)).toList();
    List<CompletableFuture<?>> waits = new ArrayList<>();
    for (SimulatedProcess process : open) {
      for (int i = 0; i < 2; i++) {
        waits.add(wish(i).lock(process.engine, Uses.name(0)).acquireAsync(Duration.ofDays(1)));
      }
    }
    runFor(100 * Plan.MS);
    open.forEach(simulation::close);
    runFor(Plan.SECOND);
    if (!waits.stream().allMatch(CompletableFuture::isDone)) {
      fail(Check.CLOSE, "a caller still waits, though its client was closed");
    }
    if (!isClean() || !open.stream().allMatch(p -> isGone(p))) {
      fail(Check.CLOSE, "closed in good weather, but left something: " + state());
    }
    runFor(2 * Simulation.CLOSE_TIMEOUT);
    for (SimulatedProcess process : processes) {
      if (process.isAlive() && !process.engine.ledger().isZero()) {
        fail(Check.CLOSE, process.name + " left something behind, " + process.engine.ledger());
      }
    }
  }

  private Wish wish(int which) {
    int size = plan.uses().kinds().get(0);
    LockMode lock = which == 0 && plan.uses().reads() > 0 ? LockMode.SHARED : LockMode.EXCLUSIVE;
    return new Wish(
        size > 0 ? LockMode.PERMITS : lock,
        1,
        Math.max(1, size),
        Wish.FOR_EVER,
        plan.ttls().get(0),
        false,
        true,
        0);
  }

  private boolean isGone(SimulatedProcess process) {
    return world.server.list().stream()
        .allMatch(
            n ->
                n.holders().stream().noneMatch(h -> isOf(process, h.leaseId()))
                    && n.waiters().stream().noneMatch(w -> isOf(process, w.leaseId())));
  }

  private boolean isOf(SimulatedProcess process, String leaseId) {
    LeaseId id = LeaseId.parse(leaseId);
    return world.judge.processOf(id) == process && !world.judge.mayLandLate(id);
  }

  private void runFor(long nanos) {
    long until = world.time.now() + nanos;
    while (simulation.step(until)) {}
  }

  private void fail(Check check, String message) {
    world.judge.fail(check, message);
    throw world.judge.found();
  }
}
