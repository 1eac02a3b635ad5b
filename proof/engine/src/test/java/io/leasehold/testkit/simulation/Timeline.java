package io.leasehold.testkit.simulation;

import java.util.PriorityQueue;

/**
 * Virtual time, and what is to happen in it. Events of one instant happen in the order in which
 * they were planned.
 */
final class Timeline {
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long planned;

  /** Something that will happen unless it is cancelled. */
  static final class Event implements Comparable<Event> {
    private final long at;
    private final long order;
    private Runnable task;

    Event(long at, long order, Runnable task) {
      this.at = at;
      this.order = order;
      this.task = task;
    }

    void cancel() {
      task = null;
    }

    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /** Nanoseconds since the beginning. */
  long now() {
    return now;
  }

  Event in(long nanos, Runnable task) {
    Event event =
        new Event(now + Math.max(0, Math.min(nanos, Long.MAX_VALUE / 4)), planned++, task);
    events.add(event);
    return event;
  }

  /** Lets the next event happen, unless it is later than {@code until}; then only time passes. */
  boolean step(long until) {
    Event next = events.peek();
    while (next != null && next.task == null) {
      events.poll();
      next = events.peek();
    }
    if (next == null || next.at > until) {
      now = Math.max(now, until);
      return false;
    }
    events.poll();
    now = next.at;
    Runnable task = next.task;
    next.task = null;
    task.run();
    return true;
  }
}
