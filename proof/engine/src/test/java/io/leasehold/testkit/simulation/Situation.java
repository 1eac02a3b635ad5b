package io.leasehold.testkit.simulation;

/** What seeds with threads must have seen, so that their silence means something. */
enum Situation {
  // stores
  BLOCKING_STORE,
  ANSWERS_LATER,
  POLLED_STORE,
  READ_BY_CALLER,
  LEFT_UNREAD,
  VERB_HANGS,
  VERB_OVERRUNS,
  VERB_BREAKS,
  VERB_IS_REFUSED,
  VERB_FAILS,
  VERB_THROWS,
  NO_THREAD,
  // code of the user
  SLOW_COMPLETION,
  SLOW_CALLBACK,
  SLOW_LISTENER,
  SLOW_LOGGER,
  USER_THROWS,
  // calls
  GRANTED,
  SEVERAL_GRANTED,
  SCOPE_ENTERED_TWICE,
  FAIR_GRANTED,
  SHARED_GRANTED,
  PERMITS_GRANTED,
  BUSY,
  TIMED_OUT,
  CANCELLED,
  INTERRUPTED,
  FAILED,
  FAULT_THROWN,
  LOST,
  RELEASE_FAILED
}
