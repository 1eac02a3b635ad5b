package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import io.leasehold.internal.EngineConfig;
import io.leasehold.internal.Ledger;
import io.leasehold.spi.LeaseId;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Violation.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The production engine in a simulated world: several processes, a server, a network, and faults,
 * all decided by one seed. First trouble, then everything heals; whoever waits then must be served
 * soon, and nothing may be left.
 */
final class Simulation {
  private static final int MOST_EVENTS_IN_TROUBLE = 5_000;
  private static final int MOST_EVENTS_AFTER = 100_000;
  private static final long CLOSE_TIMEOUT = 3 * Plan.SECOND;

  private final Timeline time = new Timeline();
  private final Plan plan;
  private final World world;
  private final Trace trace;
  private final Dice dice;
  private final List<SimulatedProcess> processes = new ArrayList<>();
  private final List<Link> links = new ArrayList<>();
  private final List<CompletionStage<Void>> closes = new ArrayList<>();
  private long events;

  /**
   * How a simulation ended.
   *
   * @param violation the first promise that was broken; null if none was
   * @param trace what happened; empty unless asked for
   */
  record Result(long seed, Violation violation, long events, String trace) {}

  private Simulation(long seed, boolean traced, Sometimes.Counts counts) {
    this.dice = new Dice(seed * 0x9E3779B97F4A7C15L + 1);
    this.plan = Plan.of(dice);
    this.trace = new Trace(traced, time);
    this.world = new World(plan, dice, time, trace, counts);
  }

  /** Runs one seed. */
  static Result run(long seed, boolean traced, Sometimes.Counts counts) {
    Simulation simulation = new Simulation(seed, traced, counts);
    simulation.trace.line("plan", simulation.plan.toString());
    try {
      simulation.play();
    } catch (Violation e) {
      return new Result(seed, e, simulation.events, simulation.trace.toString());
    }
    return new Result(seed, null, simulation.events, simulation.trace.toString());
  }

  private void play() {
    List<Runnable> closers = new ArrayList<>();
    for (int i = 0; i < plan.processes(); i++) {
      SimulatedProcess process = start("p" + (i + 1));
      closers.add(() -> close(process));
    }
    for (SimulatedProcess process : processes) {
      for (int i = 0; i < plan.callers(); i++) {
        new Caller(world, process, dice.split()).begin();
      }
    }
    Nemesis nemesis = new Nemesis(world, processes, links, closers, dice.split());
    nemesis.begin();
    long troubleEnds = plan.trouble();
    while (events < MOST_EVENTS_IN_TROUBLE && step(troubleEnds)) {}
    world.heal();
    nemesis.heal();
    everybodyIsServed();
    nothingIsLeft();
    everythingCloses();
  }

  private SimulatedProcess start(String name) {
    SimulatedProcess process = new SimulatedProcess(name, time, dice.split(), world.judge);
    Link link = new Link(process, world, dice.split());
    processes.add(process);
    links.add(link);
    EngineConfig config =
        new EngineConfig(
            Optional.of(Duration.ofNanos(plan.ttls().get(0))),
            Duration.ofSeconds(30),
            Duration.ofNanos(plan.requestTimeout()),
            Duration.ofNanos(CLOSE_TIMEOUT),
            Duration.ofNanos(plan.handOver()),
            Set.of(),
            List.of(event -> world.judge.leases.event(process, event)));
    process.engine = new Engine(link::open, config, process, process, dice.split()::bits);
    return process;
  }

  private boolean step(long until) {
    boolean stepped = time.step(until);
    events++;
    world.judge.look();
    if (world.judge.found() != null) {
      throw world.judge.found();
    }
    return stepped;
  }

  /** R9, R10, R11: within about a second and a poll, or the ttl of a crashed holder. */
  private void everybodyIsServed() {
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
    int waiting = world.judge.pending.size();
    long dead =
        processes.stream().allMatch(SimulatedProcess::isAlive) && closes.isEmpty()
            ? 0
            : longestTtl();
    if (dead > 0 && waiting > 0) {
      world.saw(Sometimes.SERVED_AFTER_CRASH);
    }
    long asleep =
        processes.stream().anyMatch(p -> p.state() == SimulatedProcess.State.SUSPENDED)
            ? Nemesis.SHORTEST_SUSPENSION
            : 0;
    long by =
        time.now()
            + asleep
            + plan.latest()
            + plan.requestTimeout()
            + 1_200 * Plan.MS
            + poll
            + dead
            + dead / 50
            + (waiting + 1) * each;
    long most = events + MOST_EVENTS_AFTER;
    while (!isServed()) {
      if (events > most) {
        throw stuck("after " + MOST_EVENTS_AFTER + " events");
      }
      if (!step(by)) {
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
    return trace.id(LeaseId.parse(id));
  }

  /** R9: neither in memory nor in the store. */
  private void nothingIsLeft() {
    long by = time.now() + plan.latest() + plan.requestTimeout() + 2_500 * Plan.MS;
    long most = events + MOST_EVENTS_AFTER;
    while (!isClean()) {
      if ((!step(by) && !isClean()) || events > most) {
        world.judge.fail(Check.LEFTOVER, (events > most ? "busy for ever: " : "") + state());
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

  private void close(SimulatedProcess process) {
    world.judge.closing(process);
    trace.line(process.name, "close");
    CompletionStage<Void> done = process.engine.closeAsync();
    closes.add(done);
    done.whenComplete(
        (ok, failure) -> {
          trace.line(process.name, "closed");
          if (failure != null) {
            world.judge.fail(Check.CLOSE, process.name + " failed to close: " + failure);
          }
        });
    process.later(
        CLOSE_TIMEOUT + Judge.SLACK,
        () ->
            process.later(
                Judge.SLACK,
                () -> {
                  if (!done.toCompletableFuture().isDone()) {
                    world.judge.fail(
                        Check.CLOSE,
                        process.name + " is not closed in time, " + process.engine.ledger());
                  } else if (!process.engine.ledger().isZero()) {
                    world.judge.fail(
                        Check.CLOSE,
                        process.name + " left something behind, " + process.engine.ledger());
                  }
                }));
  }

  /** R14: with holders and waiters, in good weather. */
  private void everythingCloses() {
    List<SimulatedProcess> open =
        processes.stream().filter(p -> p.isAlive() && !world.judge.isClosing(p)).toList();
    List<CompletableFuture<Lease>> waits = new ArrayList<>();
    for (SimulatedProcess process : open) {
      for (int i = 0; i < 2; i++) {
        waits.add(process.engine.lock("n1").acquireAsync(Duration.ofDays(1)).toCompletableFuture());
      }
    }
    runFor(100 * Plan.MS);
    open.forEach(this::close);
    runFor(Plan.SECOND);
    if (!waits.stream().allMatch(CompletableFuture::isDone)) {
      fail(Check.CLOSE, "a caller still waits, though its client was closed");
    }
    if (!isClean() || !open.stream().allMatch(p -> isGone(p))) {
      fail(Check.CLOSE, "closed in good weather, but left something: " + state());
    }
    runFor(2 * CLOSE_TIMEOUT);
    for (SimulatedProcess process : processes) {
      if (process.isAlive() && !process.engine.ledger().isZero()) {
        fail(Check.CLOSE, process.name + " left something behind, " + process.engine.ledger());
      }
    }
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
    long until = time.now() + nanos;
    while (step(until)) {}
  }

  private void fail(Check check, String message) {
    world.judge.fail(check, message);
    throw world.judge.found();
  }
}
