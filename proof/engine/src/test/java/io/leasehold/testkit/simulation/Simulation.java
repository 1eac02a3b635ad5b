package io.leasehold.testkit.simulation;

import io.leasehold.internal.Engine;
import io.leasehold.internal.EngineConfig;
import io.leasehold.testkit.simulation.Violation.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * The production engine in a simulated world: several processes, a server, a network, and faults,
 * all decided by one seed. First trouble, then everything heals; each caller that waits then must
 * be served soon, and nothing may be left.
 */
final class Simulation {
  private static final int MOST_EVENTS_IN_TROUBLE = 5_000;
  static final long CLOSE_TIMEOUT = 3 * Plan.SECOND;

  /** So many more callers, so that fair ones come together. */
  private static final int CROWD = 4;

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
    this.plan = Plan.of(dice, seed % 3 != 0, seed % 5 < 2, seed % 8 == 5 ? CROWD : 0);
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
    Aftermath aftermath = new Aftermath(world, processes, this, dice);
    aftermath.everybodyIsServed(closes.isEmpty());
    aftermath.nothingIsLeft();
    aftermath.everythingCloses();
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
            world.judge::invoked,
            Set.of(),
            List.of(event -> world.judge.leases.event(process, event)));
    process.engine = new Engine(link::open, config, process, process, dice.split()::bits);
    return process;
  }

  long events() {
    return events;
  }

  /** Lets the next thing happen, unless it is later than {@code until}. */
  boolean step(long until) {
    boolean stepped = time.step(until);
    events++;
    world.judge.look();
    if (world.judge.found() != null) {
      throw world.judge.found();
    }
    return stepped;
  }

  /** Closes a process's client, and watches how that goes. */
  void close(SimulatedProcess process) {
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
}
