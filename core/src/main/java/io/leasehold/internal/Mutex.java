package io.leasehold.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one event after another. What an event leaves to be done, requests and completions, is done
 * once the mutex is released: no request and no code of the user runs under it. Not re-entrant: an
 * event takes no other event of its mutex.
 */
// One object and not four: a process has one for each lease. Nothing of it is ever serialized
@SuppressWarnings("serial")
class Mutex extends AbstractQueuedSynchronizer implements Steps {
  private static final int SPINS = 50;

  /** What happens under the mutex, and leaves steps to be done after it. */
  interface Event {
    void happen(Steps steps);
  }

  /** Most events leave one. */
  private @Nullable Runnable steps;

  final <T extends @Nullable Object> T compute(Function<Steps, T> event) {
    T result;
    Runnable then = Mutex::nothing;
    enter();
    try {
      try {
        result = event.apply(this);
        afterEach();
      } finally {
        then = takeSteps();
        release(1);
      }
    } finally {
      then.run();
    }
    return result;
  }

  final void locked(Event event) {
    Runnable then = Mutex::nothing;
    enter();
    try {
      try {
        event.happen(this);
        afterEach();
      } finally {
        then = takeSteps();
        release(1);
      }
    } finally {
      then.run();
    }
  }

  /** Runs under the mutex at the end of each event. */
  void afterEach() {}

  // ---- steps

  @Override
  public final void add(Runnable step) {
    if (steps == null) {
      steps = step;
    } else {
      several(steps).steps.add(step);
    }
  }

  @Override
  public final void addFirst(Runnable step) {
    if (steps == null) {
      steps = step;
    } else {
      several(steps).first.add(step);
    }
  }

  private Several several(Runnable now) {
    Several several = now instanceof Several already ? already : new Several(now);
    steps = several;
    return several;
  }

  private Runnable takeSteps() {
    Runnable taken = steps;
    steps = null;
    return taken == null ? Mutex::nothing : taken;
  }

  private static void nothing() {}

  private static final class Several implements Runnable {
    final List<Runnable> first = new ArrayList<>();
    final List<Runnable> steps = new ArrayList<>();

    Several(Runnable step) {
      steps.add(step);
    }

    /** Each of them, though one throws: another caller may depend on the next. */
    @Override
    public void run() {
      RuntimeException failed = null;
      Error fatal = null;
      first.addAll(steps);
      for (Runnable step : first) {
        try {
          step.run();
        } catch (RuntimeException e) {
          failed = e;
        } catch (Error e) {
          fatal = e;
        }
      }
      if (fatal != null) {
        throw fatal;
      }
      if (failed != null) {
        throw failed;
      }
    }
  }

  // ---- exclusion

  /** An event is shorter than it takes to park and be woken: looks a few times first. */
  private void enter() {
    for (int i = 0; i < SPINS; i++) {
      if (tryAcquire(1)) {
        return;
      }
      Thread.onSpinWait();
    }
    if (isHeldExclusively()) {
      throw new IllegalStateException("an event within an event of the same mutex");
    }
    acquire(1);
  }

  @Override
  protected final boolean tryAcquire(int one) {
    if (getState() == 0 && compareAndSetState(0, one)) {
      setExclusiveOwnerThread(Thread.currentThread());
      return true;
    }
    return false;
  }

  @Override
  protected final boolean tryRelease(int one) {
    setExclusiveOwnerThread(null);
    setState(0);
    return true;
  }

  @Override
  protected final boolean isHeldExclusively() {
    return Thread.currentThread().equals(getExclusiveOwnerThread());
  }
}
