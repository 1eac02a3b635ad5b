package io.leasehold.internal;

/**
 * What is to be done once a name's mutex is released: requests, completions, wake-ups. No request
 * and no code of the user runs under the mutex. Guarded by it.
 */
interface Steps {
  void add(Runnable step);

  /** As {@link #add}, but it does not block, and is done before those that may. */
  void addFirst(Runnable step);
}
