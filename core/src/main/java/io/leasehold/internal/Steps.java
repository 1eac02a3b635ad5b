package io.leasehold.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done once a name's mutex is released: requests, completions, wake-ups. No request
 * and no code of the user runs under the mutex. Guarded by it; most events leave one step.
 */
final class Steps {
  private @Nullable Runnable all;

  void add(Runnable step) {
    if (all == null) {
      all = step;
    } else if (all instanceof Several several) {
      several.steps.add(step);
    } else {
      all = new Several(all, step);
    }
  }

  /** Takes the steps of an event out, to be run without the mutex. */
  Runnable take() {
    Runnable taken = all;
    all = null;
    return taken == null ? Steps::nothing : taken;
  }

  private static void nothing() {}

  private static final class Several implements Runnable {
    final List<Runnable> steps = new ArrayList<>();

    Several(Runnable first, Runnable second) {
      steps.add(first);
      steps.add(second);
    }

    @Override
    public void run() {
      steps.forEach(Runnable::run);
    }
  }
}
