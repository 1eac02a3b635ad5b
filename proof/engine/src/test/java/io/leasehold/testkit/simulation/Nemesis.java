package io.leasehold.testkit.simulation;

import io.leasehold.LockSnapshot;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.LeaseId;
import io.leasehold.testkit.InMemorySettings.Feature;
import io.leasehold.testkit.simulation.Plan.Disaster;
import java.time.Duration;
import java.util.List;

/** Makes bigger things go wrong. */
final class Nemesis {
  /** A shorter one cannot be noticed, and R17 does not say that it is. */
  static final long SHORTEST_SUSPENSION = 1_200 * Plan.MS;

  private final World world;
  private final List<SimulatedProcess> processes;
  private final List<Link> links;
  private final Dice dice;
  private final List<Runnable> closers;
  private boolean over;
  private int restarts;

  Nemesis(
      World world,
      List<SimulatedProcess> processes,
      List<Link> links,
      List<Runnable> closers,
      Dice dice) {
    this.world = world;
    this.processes = processes;
    this.links = links;
    this.closers = closers;
    this.dice = dice;
  }

  void begin() {
    if (world.plan.disasters() > 0) {
      world.time.in(
          dice.spread(world.plan.disasters() / 10, world.plan.disasters() * 3), this::strike);
    }
  }

  private void strike() {
    if (over) {
      return;
    }
    int which = dice.between(0, processes.size() - 1);
    SimulatedProcess process = processes.get(which);
    Link link = links.get(which);
    Disaster kind = dice.pick(world.plan.kinds());
    if (process.isRunning()) {
      world.trace.line("nemesis", kind + " " + process.name);
      strike(kind, process, link, which);
    }
    begin();
  }

  private void strike(Disaster kind, SimulatedProcess process, Link link, int which) {
    switch (kind) {
      case CRASH -> crash(process);
      case PAUSE -> pause(process);
      case SUSPEND -> suspend(process);
      case WALL_STEP -> {
        world.saw(Sometimes.WALL_STEP);
        process.stepWall((dice.chance(0.7) ? 1 : -1) * dice.spread(1_200, 100_000));
      }
      case RESTART -> restart();
      case PARTITION -> {
        silence(link);
      }
      case CUT -> {
        link.cut();
        link.reconnect();
      }
      case REFUSE -> {
        link.become(Link.Condition.REFUSING);
        world.time.in(dice.spread(5 * Plan.MS, 3 * Plan.SECOND), () -> mend(link));
      }
      case END_SESSION -> {
        Long client = world.judge.store.client(process);
        if (client != null) {
          world.saw(Sometimes.SESSION_ENDED);
          world.judge.revokeAll(process);
          world.server.endSessions(client);
        }
      }
      case BREAK -> breakOne();
      case SHORTEN -> {
        world.saw(Sometimes.LIFE_SHORTENED);
        long ttl = world.plan.ttls().get(0);
        world.judge.shortened();
        world.server.limitLife(
            Duration.ofNanos(dice.chance(0.3) ? ttl : dice.spread(ttl / 3, ttl)));
        if (dice.chance(0.5)) {
          world.time.in(dice.spread(ttl / 10, ttl / 2), () -> silence(link));
        }
      }
      case SPURIOUS_WAKE -> {
        LeaseId id = world.judge.anyId(dice);
        if (id != null) {
          world.saw(Sometimes.WAKE_SPURIOUS);
          links.get(processes.indexOf(world.judge.processOf(id))).wakeIn(0, id);
        }
      }
      case CLOSE -> {
        if (processes.stream().noneMatch(world.judge::isClosing)) {
          world.saw(Sometimes.CLOSE_AMID);
          closers.get(which).run();
        }
      }
    }
  }

  private void silence(Link link) {
    if (!over && link.condition() == Link.Condition.OPEN) {
      link.become(dice.chance(0.5) ? Link.Condition.SILENT : Link.Condition.ONE_WAY);
      world.time.in(dice.spread(5 * Plan.MS, 3 * Plan.SECOND), () -> mend(link));
    }
  }

  private void crash(SimulatedProcess process) {
    if (processes.stream().filter(SimulatedProcess::isAlive).count() > 1) {
      world.saw(Sometimes.CRASH);
      process.crash();
      world.judge.calls.crashed(process);
    }
  }

  private void pause(SimulatedProcess process) {
    long ttl = world.plan.ttls().get(0);
    long time = dice.spread(Plan.MS, Math.min(2 * ttl, 5 * Plan.SECOND));
    world.saw(time > ttl ? Sometimes.PAUSE_BEYOND_TTL : Sometimes.PAUSE);
    process.stop(SimulatedProcess.State.PAUSED);
    world.time.in(time, () -> resume(process));
  }

  private void suspend(SimulatedProcess process) {
    world.saw(Sometimes.SUSPENSION);
    process.stop(SimulatedProcess.State.SUSPENDED);
    world.time.in(dice.spread(SHORTEST_SUSPENSION, 20 * Plan.SECOND), () -> resume(process));
  }

  private void resume(SimulatedProcess process) {
    if (process.isAlive() && !process.isRunning()) {
      world.trace.line(process.name, "resumes");
      process.resume();
    }
  }

  private void restart() {
    if (world.isDown()) {
      return;
    }
    world.saw(Sometimes.SERVER_RESTART);
    world.setDown(true);
    links.forEach(Link::cut);
    int number = ++restarts;
    world.time.in(
        dice.spread(Plan.MS, Plan.SECOND),
        () -> {
          if (number == restarts) {
            up();
          }
        });
  }

  private void up() {
    if (world.isDown()) {
      world.setDown(false);
      links.stream().filter(l -> l.condition() == Link.Condition.OPEN).forEach(Link::reconnect);
    }
  }

  private void mend(Link link) {
    if (link.condition() != Link.Condition.OPEN) {
      link.cut();
      link.reconnect();
    }
  }

  private void breakOne() {
    List<LockSnapshot> held =
        world.server.list().stream().filter(s -> !s.holders().isEmpty()).toList();
    if (held.isEmpty()) {
      return;
    }
    LockSnapshot name = dice.pick(held);
    // Without numbers the first of them is broken
    boolean fenced = world.plan.has(Feature.FENCING);
    LockSnapshot.Holder holder = fenced ? dice.pick(name.holders()) : name.holders().get(0);
    world.saw(Sometimes.LEASE_BROKEN);
    LeaseId id = LeaseId.parse(holder.leaseId());
    world.trace.line("nemesis", "breaks " + world.trace.id(id));
    world.judge.revoked(List.of(id));
    world.server.breakLease(name.name(), FenceNumber.number(holder.fencingToken()));
  }

  /** Ends all that is wrong. */
  void heal() {
    over = true;
    up();
    links.forEach(this::mend);
    for (SimulatedProcess process : processes) {
      if (process.state() == SimulatedProcess.State.SUSPENDED) {
        world.time.in(SHORTEST_SUSPENSION - process.stoppedFor(), () -> resume(process));
      } else {
        resume(process);
      }
    }
  }
}
