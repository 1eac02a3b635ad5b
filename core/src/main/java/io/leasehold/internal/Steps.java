package io.leasehold.internal;

/**
 * What is to be done once a name's mutex is released: requests and completions. No request and no
 * code of the user runs under the mutex; a parked thread is woken under it. Guarded by it.
 */
interface Steps {
  void add(Runnable step);
}
