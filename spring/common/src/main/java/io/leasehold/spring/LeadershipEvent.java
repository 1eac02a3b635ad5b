package io.leasehold.spring;

import io.leasehold.LeadershipListener;
import io.leasehold.Lease;
import io.leasehold.event.LockEvent;
import java.time.Duration;

/**
 * What becomes of a candidate of {@link Leaderships}, for methods with {@code @EventListener}.
 * Published in order, on the thread of that leadership, which waits for its listeners: what {@link
 * LeadershipListener} says of its methods is so for the listeners of these events. In particular
 * the end of a term interrupts a listener of {@link Elected} that still runs.
 */
public sealed interface LeadershipEvent {
  /** The name of the leadership. */
  String name();

  /**
   * This instance leads from now on.
   *
   * @param term the lease; its token is for the writes of the leader, and to release it is to step
   *     down
   */
  record Elected(String name, Lease term) implements LeadershipEvent {}

  /**
   * Renewal has failed for two thirds of the ttl; this instance still leads.
   *
   * @param remaining how much longer, if no renewal succeeds
   */
  record Jeopardy(String name, Duration remaining) implements LeadershipEvent {}

  /** The jeopardy is over. */
  record Recovered(String name) implements LeadershipEvent {}

  /**
   * This instance leads no more: the lease of its term was lost.
   *
   * @param reason why
   */
  record Lost(String name, LockEvent.Lost.Reason reason) implements LeadershipEvent {}

  /** This instance leads no more: it resigned, or released the lease of its term. */
  record Resigned(String name) implements LeadershipEvent {}

  /**
   * This instance cannot take part now, and tries again.
   *
   * @param why what the store said
   */
  record Failed(String name, RuntimeException why) implements LeadershipEvent {}
}
