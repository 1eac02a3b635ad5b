package io.leasehold.testkit.simulation;

import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import io.leasehold.internal.EngineConfig;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.testkit.simulation.Violation.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The production engine under callers with threads, in virtual time: on stores whose verbs block
 * and on others, in pools of their real sizes, under interrupts, with users whose code takes long
 * and throws. First trouble, then all heals; each caller must end then, and nothing may be left.
 */
final class ThreadedSimulation {
  private static final int MOST_EVENTS = 200_000;
  private static final long CLOSE_TIMEOUT = 3 * Plan.SECOND;

  private final Timeline time = new Timeline();
  private final Dice dice;
  private final ThreadedPlan plan;
  private final Trace trace;
  private final ThreadedWorld world;
  private final List<ThreadedProcess> processes = new ArrayList<>();
  private final List<ThreadedStore> stores = new ArrayList<>();
  private int callers;
  private int events;

  private ThreadedSimulation(
      long seed, Function<Dice, ThreadedPlan> plans, boolean traced, Set<Situation> seen) {
    this.dice = new Dice(seed * 0xD1342543DE82EF95L);
    this.plan = plans.apply(dice);
    if (seed % 3 == 0) {
      plan.watchAttempts();
    } else if (seed % 3 == 1) {
      plan.letCallersHear(seed % 2 == 0);
    }
    this.trace = new Trace(traced, time);
    this.world = new ThreadedWorld(plan, dice.split(), time, trace, seen);
  }

  /** Runs one seed of a plan. */
  static Simulation.Result run(
      long seed, Function<Dice, ThreadedPlan> plans, boolean traced, Set<Situation> seen) {
    ThreadedSimulation simulation = new ThreadedSimulation(seed, plans, traced, seen);
    simulation.trace.line("plan", simulation.plan.toString());
    simulation.world.sawThePlan();
    Violation found = null;
    try {
      simulation.play();
    } catch (Violation e) {
      found = e;
    }
    String trace = simulation.trace.toString();
    simulation.world.strands.end();
    return new Simulation.Result(seed, found, simulation.events, trace);
  }

  private void play() {
    for (int i = 1; i <= plan.processes; i++) {
      start("p" + i);
    }
    for (ThreadedProcess process : processes) {
      for (int i = 1; i <= plan.callers; i++) {
        ThreadedCaller caller = new ThreadedCaller(world, process, dice.split());
        callers++;
        world.strands.start(
            process.name + "-caller" + i,
            0,
            () -> {
              caller.live();
              callers--;
            });
      }
    }
    strikeLater();
    until(plan.trouble, () -> false);
    world.heal();
    everybodyEnds();
    nothingIsLeft();
    everythingCloses();
  }

  private void start(String name) {
    ThreadedProcess process = new ThreadedProcess(name, world, dice.split());
    ThreadedStore store = new ThreadedStore(world, process);
    processes.add(process);
    stores.add(store);
    EngineConfig config =
        new EngineConfig(
            Optional.of(Duration.ofNanos(plan.ttls.get(0))),
            Duration.ofSeconds(30),
            Duration.ofNanos(plan.requestTimeout),
            Duration.ofNanos(CLOSE_TIMEOUT),
            Duration.ofMillis(2),
            () -> null,
            Set.of(),
            List.of(
                event -> {
                  world.judge.event(process, event);
                  world.userCode("listener", plan.slowListeners);
                }));
    process.engine = new Engine(store::open, config, process, process, dice.split()::bits);
  }

  /** Lets time pass to a point, or until this is true; whether it became true. */
  private boolean until(long end, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      if (++events > MOST_EVENTS) {
        throw stuck(Check.STUCK, "busy for ever");
      }
      boolean stepped = time.step(end);
      world.judge.leases.look();
      if (world.judge.found() != null) {
        throw world.judge.found();
      }
      if (!stepped) {
        return condition.getAsBoolean();
      }
    }
    return true;
  }

  // ---- what goes wrong

  private void strikeLater() {
    if (plan.disasters > 0) {
      time.in(dice.spread(plan.disasters / 10, plan.disasters * 3), this::strike);
    }
  }

  private void strike() {
    if (world.isDraining()) {
      return;
    }
    ThreadedPlan.Disaster kind = dice.pick(plan.kinds);
    switch (kind) {
      case SILENCE ->
          world.silence(
              Uses.name(dice.between(0, plan.uses.names() - 1)),
              dice.spread(20 * Plan.MS, 2 * plan.requestTimeout));
      case BREAK -> breakOne();
      case RECONNECT -> {
        trace.line("nemesis", "reconnects");
        dice.pick(stores).reconnected();
      }
    }
    strikeLater();
  }

  private void breakOne() {
    List<LockSnapshot> held =
        world.server.list().stream().filter(s -> !s.holders().isEmpty()).toList();
    if (!held.isEmpty()) {
      LockSnapshot name = dice.pick(held);
      LockSnapshot.Holder holder = dice.pick(name.holders());
      LeaseId id = LeaseId.parse(holder.leaseId());
      trace.line("nemesis", "breaks " + trace.id(id));
      world.judge.leases.revoked(id);
      world.server.breakLease(name.name(), FenceNumber.number(holder.fencingToken()));
    }
  }

  // ---- what must come true once all has healed

  private void everybodyEnds() {
    long each = plan.longestUnserved() + plan.holds + 100 * Plan.MS;
    long by =
        time.now()
            + 4 * plan.slowestCode
            + 3 * plan.requestTimeout
            + 5 * Plan.SECOND
            + plan.longestWait
            + (world.judge.pending.size() + callers) * (2 * each);
    if (!until(by, () -> callers == 0)) {
      throw stuck(Check.STUCK, callers + " callers did not end");
    }
  }

  private void nothingIsLeft() {
    long by = time.now() + 2 * plan.requestTimeout + 3 * Plan.SECOND;
    if (!until(by, this::isClean)) {
      throw stuck(Check.LEFTOVER, "something is left");
    }
  }

  private boolean isClean() {
    return processes.stream().allMatch(p -> p.engine.ledger().isZero())
        && world.server.list().isEmpty();
  }

  private void everythingCloses() {
    List<CompletableFuture<Void>> closes = new ArrayList<>();
    for (ThreadedProcess process : processes) {
      world.strands.start(
          process.name + "-closer",
          0,
          () -> closes.add(process.engine.closeAsync().toCompletableFuture()));
    }
    until(time.now() + 2 * CLOSE_TIMEOUT, () -> false);
    if (closes.size() < processes.size() || !closes.stream().allMatch(CompletableFuture::isDone)) {
      throw stuck(Check.CLOSE, "not closed in time");
    }
    if (!isClean() || !world.strands.alive().isEmpty()) {
      throw stuck(Check.THREAD_STUCK, "closed, and something goes on");
    }
  }

  private Violation stuck(Check check, String what) {
    StringBuilder message = new StringBuilder(what).append("; ");
    world.judge.pending.forEach(c -> message.append(c).append(" of ").append(c.names).append("; "));
    world.judge.leases.all().forEach(h -> message.append(h).append(" is not released; "));
    for (ThreadedProcess process : processes) {
      message.append(process.name).append(' ').append(process.engine.ledger()).append("; ");
    }
    for (LockSnapshot name : world.server.list()) {
      message.append(name.name()).append(" held by ");
      name.holders().forEach(h -> message.append(show(h.leaseId())).append(' '));
      message.append("waited for by ");
      name.waiters().forEach(w -> message.append(show(w.leaseId())).append(' '));
    }
    message.append("; alive ").append(world.strands.alive());
    world.judge.fail(check, message.toString());
    return world.judge.found();
  }

  private String show(String id) {
    return trace.id(LeaseId.parse(id));
  }
}
