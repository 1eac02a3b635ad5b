package io.leasehold.testkit.simulation;

import io.leasehold.internal.Engine;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Scheduler;
import java.util.ArrayList;
import java.util.List;

/**
 * A process: its clock, and everything that is to happen in it. It can be paused (nothing happens,
 * its clock goes on), suspended (its monotonic clock stops too) and crash (nothing ever happens
 * again).
 */
final class SimulatedProcess implements Clock, Scheduler {
  /** What it is able to do. */
  enum State {
    RUNNING,
    PAUSED,
    SUSPENDED,
    CRASHED
  }

  final String name;
  private final Timeline time;
  private final Dice dice;
  private final Judge judge;
  private final long ratePpm;
  private final long jitter;
  private final long origin;
  private final long wallOrigin;
  private final List<Runnable> heldBack = new ArrayList<>();
  private State state = State.RUNNING;
  private boolean closed;
  private long suspendedFor;
  private long suspendedSince;
  private long wallSteps;
  private long resumedAt;

  Engine engine;

  SimulatedProcess(String name, Timeline time, Dice dice, Judge judge) {
    this.name = name;
    this.time = time;
    this.dice = dice;
    this.judge = judge;
    this.jitter = dice.pick(List.of(20_000L, 200_000L, 2_000_000L));
    this.ratePpm = dice.between(-4_900L, 4_900L);
    this.origin =
        dice.chance(0.5) ? dice.bits() >> 2 : Long.MAX_VALUE - dice.between(0, 2 * Plan.SECOND);
    this.wallOrigin = 1_790_000_000_000L + dice.between(-5_000_000_000L, 5_000_000_000L);
  }

  State state() {
    return state;
  }

  boolean isAlive() {
    return state != State.CRASHED;
  }

  boolean isRunning() {
    return state == State.RUNNING;
  }

  /** On a host that sleeps, no caller can look at anything. */
  boolean canBeObserved() {
    return state == State.RUNNING || state == State.PAUSED;
  }

  // Clock

  private long elapsed() {
    return time.now() - suspendedFor - (state == State.SUSPENDED ? time.now() - suspendedSince : 0);
  }

  private long own(long trueNanos) {
    return trueNanos
        + trueNanos / 1_000_000 * ratePpm
        + trueNanos % 1_000_000 * ratePpm / 1_000_000;
  }

  private long real(long ownNanos) {
    long most = Math.min(ownNanos, Long.MAX_VALUE / 8);
    long rate = 1_000_000 + ratePpm;
    return most / rate * 1_000_000 + most % rate * 1_000_000 / rate + 1;
  }

  @Override
  public long nanos() {
    return origin + own(elapsed());
  }

  @Override
  public long wallMillis() {
    return wallOrigin + own(time.now()) / 1_000_000 + wallSteps;
  }

  void stepWall(long millis) {
    resumedAt = time.now();
    wallSteps += millis;
  }

  // Scheduler

  @Override
  public Timer schedule(Runnable task, long delayNanos) {
    if (closed) {
      return () -> {};
    }
    long due = nanos() + Math.max(0, Math.min(delayNanos, Long.MAX_VALUE / 8));
    TimerTask timer = new TimerTask(task, due);
    timer.plan();
    return timer;
  }

  private final class TimerTask implements Timer {
    private final Runnable task;
    private final long due;
    private boolean cancelled;

    TimerTask(Runnable task, long due) {
      this.task = task;
      this.due = due;
    }

    void plan() {
      long left = due - nanos();
      time.in(real(Math.max(0, left)) + dice.between(0, jitter), () -> live(this::ring));
    }

    private void ring() {
      if (cancelled || closed) {
        return;
      }
      if (due - nanos() > 0) {
        plan();
      } else {
        cancelled = true;
        guarded(task);
      }
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  @Override
  public void request(Runnable task) {
    hop(task);
  }

  @Override
  public void renewal(Runnable task) {
    hop(task);
  }

  @Override
  public void callback(Runnable task) {
    if (closed) {
      guarded(task);
    } else {
      hop(task);
    }
  }

  private void hop(Runnable task) {
    if (!closed) {
      post(dice.between(0, jitter), task);
    }
  }

  @Override
  public void close() {
    closed = true;
  }

  /**
   * A timer of the process that is not its engine's: on its clock, held back while it cannot run.
   */
  void later(long ownNanos, Runnable task) {
    long due = nanos() + ownNanos;
    laterAt(due, task);
  }

  private void laterAt(long due, Runnable task) {
    time.in(
        real(Math.max(0, due - nanos())),
        () ->
            live(
                () -> {
                  if (due - nanos() > 0) {
                    laterAt(due, task);
                  } else {
                    guarded(task);
                  }
                }));
  }

  /**
   * Lets something happen in this process after a true delay: at once if it runs, else when it runs
   * again, unless it crashed.
   */
  void post(long trueDelay, Runnable task) {
    time.in(trueDelay, () -> live(() -> guarded(task)));
  }

  private void live(Runnable step) {
    switch (state) {
      case RUNNING -> step.run();
      case PAUSED, SUSPENDED -> heldBack.add(step);
      case CRASHED -> {}
    }
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (Violation e) {
      throw e;
    } catch (RuntimeException | Error e) {
      judge.thrown(this, e);
    }
  }

  // Faults

  void crash() {
    state = State.CRASHED;
    heldBack.clear();
  }

  /** Whether it has just begun to run again: what was held back comes now. */
  boolean hasJustResumed() {
    return resumedAt > 0 && time.now() - resumedAt < Judge.SLACK;
  }

  /** How long it has been running without being stopped. */
  long ranFor() {
    return time.now() - resumedAt;
  }

  boolean wasStopped() {
    return resumedAt > 0;
  }

  /** How long it has been in this state, if that is not running. */
  long stoppedFor() {
    return time.now() - suspendedSince;
  }

  void stop(State how) {
    state = how;
    suspendedSince = time.now();
  }

  /** Runs again; what was held back comes in any order. */
  void resume() {
    if (state == State.SUSPENDED) {
      suspendedFor += time.now() - suspendedSince;
    }
    if (state != State.CRASHED) {
      state = State.RUNNING;
      resumedAt = time.now();
      for (Runnable step : List.copyOf(heldBack)) {
        time.in(dice.between(0, jitter), () -> live(step));
      }
      heldBack.clear();
    }
  }
}
