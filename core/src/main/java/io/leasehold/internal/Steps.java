package io.leasehold.internal;

import java.util.Arrays;

/**
 * What is to be done once a name's mutex is released: requests, completions, wake-ups. No request
 * and no code of the user runs under the mutex.
 */
final class Steps {
  private static final Runnable[] NONE = {};
  private static final int USUAL = 4;

  private Runnable[] steps = NONE;
  private int size;

  void add(Runnable step) {
    if (size == steps.length) {
      steps = Arrays.copyOf(steps, size == 0 ? USUAL : size * 2);
    }
    steps[size++] = step;
  }

  void run() {
    for (int i = 0; i < size; i++) {
      steps[i].run();
    }
  }
}
