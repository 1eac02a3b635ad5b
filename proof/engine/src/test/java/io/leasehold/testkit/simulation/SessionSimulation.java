package io.leasehold.testkit.simulation;

import io.leasehold.Lease;
import io.leasehold.LockMode;
import io.leasehold.internal.Engine;
import io.leasehold.internal.EngineConfig;
import io.leasehold.internal.Hold;
import io.leasehold.sessions.SessionLockStore;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * The production engine over the recipe of the stores that have sessions, in virtual time: several
 * processes that stand still, crash and lose their connection, clients that close, a server that
 * stands still, sessions that end, requests that are late and lost, people who remove entries; all
 * decided by one seed. No two hold what one may hold, tokens rise, a client that closes leaves
 * nothing behind, and once all is well again each caller is served and nothing is left.
 */
final class SessionSimulation {
  private static final long TROUBLE_ENDS = 15 * Plan.SECOND;

  /** By then sessions of the dead have ended, and all that was in doubt is settled. */
  private static final long ENDS = TROUBLE_ENDS + 90 * Plan.SECOND;

  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final int PERMITS = 3;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(3);

  /** A process and the server may stand still one after the other. */
  private static final long CLOSED_AFTER = CLOSE_TIMEOUT.toNanos() + 7 * Plan.SECOND;

  final Timeline time = new Timeline();
  final SessionServer server;
  private final Dice dice;
  private final double loss;

  /** How much of a session's ttl a lease may count on. */
  final int yieldPercent;

  private final List<Client> processes = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private int grants;
  private String violation = "";

  /**
   * How it ended.
   *
   * @param violation what was broken; empty if nothing was
   * @param grants how many there were
   */
  record Result(long seed, String violation, int grants) {}

  /** A grant, whether it lasts or not. */
  private record Held(Client process, String name, Wish wish, Lease lease, long token) {}

  private SessionSimulation(long seed, boolean isSevere) {
    dice = new Dice(seed * 0x9E3779B97F4A7C15L + 11);
    yieldPercent = isSevere ? dice.pick(List.of(60, 99)) : 60;
    server = new SessionServer(time, dice.split());
    loss = dice.pick(List.of(0.0, 0.02, 0.2));
    boolean isOrdered = dice.chance(0.5);
    for (int i = dice.between(2, 4); i > 0; i--) {
      processes.add(new Client(i, isOrdered, dice.split()));
    }
    for (int i = isSevere ? dice.between(0, 3) : 0; i > 0; i--) {
      long length = dice.spread(Plan.MS, 3 * Plan.SECOND);
      time.in(dice.spread(100 * Plan.MS, TROUBLE_ENDS - length), () -> server.standStill(length));
    }
    if (isSevere && dice.chance(0.4)) {
      time.in(dice.spread(100 * Plan.MS, TROUBLE_ENDS), dice.pick(processes)::leave);
    }
  }

  /** Runs one seed. */
  static Result run(long seed) {
    return run(seed, true);
  }

  /** Runs one seed as before the server stood still, and leases counted on most of the ttl. */
  static Result runMildly(long seed) {
    return run(seed, false);
  }

  private static Result run(long seed, boolean isSevere) {
    SessionSimulation simulation = new SessionSimulation(seed, isSevere);
    simulation.processes.forEach(Client::begin);
    simulation.time.in(TROUBLE_ENDS, () -> simulation.processes.forEach(Client::heal));
    try {
      while (simulation.violation.isEmpty() && simulation.time.step(ENDS)) {}
      simulation.judgeWhatIsLeft();
    } catch (RuntimeException e) {
      simulation.violated(e.toString());
    }
    return new Result(seed, simulation.violation, simulation.grants);
  }

  boolean isInTrouble() {
    return time.now() < TROUBLE_ENDS;
  }

  double loss() {
    return isInTrouble() ? loss : 0;
  }

  private void violated(String how) {
    if (violation.isEmpty()) {
      violation = how + " at " + Judge.ms(time.now());
    }
  }

  // ---- judging

  private void granted(Held now) {
    grants++;
    int taken = 0;
    for (Held other : held) {
      if (!other.name.equals(now.name) || (other.wish.isShared() && now.wish.isShared())) {
        continue;
      }
      if (other.token >= now.token && !now.wish.isPermits()) {
        violated("token " + now.token + " of " + now.name + " is not above " + other.token);
      }
      if (isHeld(other)) {
        taken += other.wish.permits();
        if (!now.wish.isPermits()) {
          violated("two hold " + now.name);
        }
      }
    }
    if (taken + now.wish.permits() > PERMITS && now.wish.isPermits()) {
      violated("too many permits of " + now.name);
    }
    held.add(now);
  }

  /** What a person has ended may be held a little longer, in the eyes of its holder. */
  private boolean isHeld(Held one) {
    LeaseId id = LeaseId.parse(((Hold) one.lease).leaseId());
    return one.process.isAlive() && one.lease.isHeld() && !server.revoked.contains(id);
  }

  private void judgeWhatIsLeft() {
    for (Client process : processes) {
      if (process.isAlive() && process.pending > 0) {
        violated(process.pending + " callers of process " + process.number + " still wait");
      }
      if (process.isAlive() && !process.engine.ledger().isZero()) {
        violated("process " + process.number + " keeps " + process.engine.ledger());
      }
    }
    if (!server.list(name -> true).isEmpty()) {
      violated("left behind: " + server.list(name -> true));
    }
  }

  /** One process: its clock, its threads, its client and those who call it. */
  final class Client implements Clock, Scheduler {
    final int number;
    final List<SessionServer.Served> sessions = new ArrayList<>();
    private final Dice dice;
    private final SessionLink link;
    private final Engine engine;
    private final List<Long> ttls;
    private final long ratePpm;
    private final long wall;
    private long pausedUntil;
    private boolean isCrashed;

    /** Its client closes. */
    private boolean hasLeft;

    /** Its client has no connection any more, and no threads but for what it still tells. */
    private boolean isShut;

    private int pending;

    Client(int number, boolean isOrdered, Dice dice) {
      this.number = number;
      this.dice = dice;
      ratePpm = dice.between(-4_900L, 4_900L);
      wall = 1_790_000_000_000L + dice.between(-5_000_000L, 5_000_000L);
      ttls = dice.pick(List.of(List.of(Plan.SECOND), List.of(Plan.SECOND / 2, 8 * Plan.SECOND)));
      link = new SessionLink(SessionSimulation.this, this, isOrdered, dice.split());
      EngineConfig config =
          new EngineConfig(
              Optional.of(Duration.ofNanos(ttls.get(0))),
              Duration.ofSeconds(30),
              Duration.ofNanos(dice.spread(200 * Plan.MS, 3 * Plan.SECOND)),
              CLOSE_TIMEOUT,
              Duration.ofNanos(dice.pick(List.of(0L, 2 * Plan.MS, 50 * Plan.MS))),
              () -> null,
              Set.of(),
              List.of(event -> {}));
      engine =
          new Engine(
              listener -> store(new SessionLockStore(link, listener, this, this)),
              config,
              this,
              this,
              dice.split()::bits);
    }

    /** Waits for no session that is being opened when it closes: that would stop the time. */
    private LockStore store(SessionLockStore store) {
      return (LockStore)
          Proxy.newProxyInstance(
              LockStore.class.getClassLoader(),
              new Class<?>[] {LockStore.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("close")) {
                  link.endRequests();
                }
                return method.invoke(store, arguments);
              });
    }

    boolean isAlive() {
      return !isCrashed;
    }

    void begin() {
      for (int i = dice.between(1, 3); i > 0; i--) {
        in(dice.spread(Plan.MS, Plan.SECOND), this::call);
      }
      time.in(dice.spread(20 * Plan.MS, 3 * Plan.SECOND), this::trouble);
    }

    // ---- calls

    private Wish wish(String name) {
      long wait =
          dice.chance(0.2)
              ? 0
              : dice.chance(0.5) ? Wish.FOR_EVER : dice.spread(Plan.MS, 4 * Plan.SECOND);
      LockMode mode =
          switch (name) {
            case "a" -> LockMode.EXCLUSIVE;
            case "b" -> dice.chance(0.6) ? LockMode.SHARED : LockMode.EXCLUSIVE;
            default -> LockMode.PERMITS;
          };
      boolean some = mode == LockMode.PERMITS;
      return new Wish(
          mode,
          some ? dice.between(1, 2) : 1,
          some ? PERMITS : 1,
          wait,
          dice.pick(ttls),
          dice.chance(0.5),
          true,
          0);
    }

    private void call() {
      if (!isInTrouble() || hasLeft) {
        return;
      }
      String name = dice.pick(NAMES);
      Wish wish = wish(name);
      pending++;
      CompletableFuture<Lease> call = wish.lock(engine, name).acquireAsync(wish.patience());
      call.whenComplete(
          (lease, failed) -> {
            pending--;
            if (failed != null) {
              in(dice.spread(Plan.MS, 100 * Plan.MS), this::call);
              return;
            }
            Held grant = new Held(this, name, wish, lease, lease.fencingToken());
            if (isHeld(grant)) {
              granted(grant);
            }
            long longest = isInTrouble() ? 2 * Plan.SECOND : 5 * Plan.MS;
            in(
                dice.spread(10_000, longest),
                () -> {
                  lease.releaseAsync();
                  in(dice.spread(10_000, 100 * Plan.MS), this::call);
                });
          });
      if (!wish.isTry() && dice.chance(0.15)) {
        in(dice.spread(10_000, Plan.SECOND), () -> call.cancel(true));
      }
    }

    // ---- trouble

    private void trouble() {
      if (!isInTrouble() || isCrashed || hasLeft) {
        return;
      }
      switch (dice.between(0, 6)) {
        case 0, 1 -> {
          link.cut();
          time.in(dice.spread(Plan.MS, 3 * Plan.SECOND), link::reconnect);
        }
        case 2 -> pausedUntil = time.now() + dice.spread(Plan.MS, 3 * Plan.SECOND);
        case 3 -> isCrashed = dice.chance(0.2);
        case 4 -> {
          if (!sessions.isEmpty()) {
            dice.pick(sessions).revoke();
          }
        }
        case 5 -> server.breakLock(dice.pick(NAMES));
        default -> {}
      }
      time.in(dice.spread(20 * Plan.MS, 3 * Plan.SECOND), this::trouble);
    }

    /** Its client closes. */
    private void leave() {
      run(
          () -> {
            hasLeft = true;
            CompletableFuture<Void> closed = engine.closeAsync().toCompletableFuture();
            closed.whenComplete(
                (done, failed) -> {
                  if (failed != null) {
                    violated("process " + number + " does not close: " + failed);
                  }
                });
            time.in(
                CLOSED_AFTER,
                () -> {
                  if (isAlive() && !closed.isDone()) {
                    violated("process " + number + " is not closed, and has " + engine.ledger());
                  }
                });
          });
    }

    void heal() {
      link.reconnect();
      pausedUntil = 0;
    }

    // ---- its clock and its threads

    @Override
    public long nanos() {
      return time.now() + time.now() / 1_000_000 * ratePpm;
    }

    @Override
    public long wallMillis() {
      return wall + nanos() / 1_000_000;
    }

    /** Now, or when it goes on; not once its client is shut. */
    void run(Runnable task) {
      runAnyway(
          () -> {
            if (!isShut) {
              task.run();
            }
          });
    }

    private void runAnyway(Runnable task) {
      if (isCrashed) {
        return;
      }
      if (pausedUntil > time.now()) {
        time.in(pausedUntil - time.now() + dice.between(0, 100_000L), () -> runAnyway(task));
      } else {
        task.run();
      }
    }

    /** By its own clock, and never too early. */
    void in(long nanos, Runnable task) {
      at(nanos() + Math.min(nanos, Long.MAX_VALUE / 8), task);
    }

    private void at(long due, Runnable task) {
      long left = due - nanos();
      if (left <= 0) {
        time.in(0, () -> run(task));
      } else {
        time.in(left, () -> at(due, task));
      }
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
      boolean[] cancelled = new boolean[1];
      in(
          delayNanos,
          () -> {
            if (!cancelled[0]) {
              task.run();
            }
          });
      return () -> cancelled[0] = true;
    }

    @Override
    public void request(Runnable task) {
      in(dice.between(0, 100_000L), task);
    }

    @Override
    public void renewal(Runnable task) {
      in(dice.between(0, 100_000L), task);
    }

    @Override
    public void callback(Runnable task) {
      time.in(dice.between(0, 100_000L), () -> runAnyway(task));
    }

    /** Its connection has ended: the server has heard of the end of each session. */
    @Override
    public void close() {
      isShut = true;
      BooleanSupplier arrives = link.arrives();
      time.in(
          CLOSED_AFTER,
          () -> {
            if (arrives.getAsBoolean()
                && !sessions.stream().allMatch(SessionServer.Served::isOver)) {
              violated("a session of process " + number + " outlives its client");
            }
          });
    }
  }
}
