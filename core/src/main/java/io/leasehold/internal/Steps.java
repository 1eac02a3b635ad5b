package io.leasehold.internal;

import java.util.ArrayDeque;

/**
 * What is to be done once a name's mutex is released: requests, completions, wake-ups. No request
 * and no code of the user runs under the mutex.
 */
final class Steps {
  private final ArrayDeque<Runnable> steps = new ArrayDeque<>(4);

  void add(Runnable step) {
    steps.add(step);
  }

  void run() {
    for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
      step.run();
    }
  }
}
