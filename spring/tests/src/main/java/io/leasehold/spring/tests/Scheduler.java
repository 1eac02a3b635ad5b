package io.leasehold.spring.tests;

import io.leasehold.spring.LeadershipEvent;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.context.event.EventListener;

/** The code of docs/spring.md about leader election. */
class Scheduler {
  private final AtomicLong token = new AtomicLong();

  @EventListener
  void begin(LeadershipEvent.Elected elected) {
    token.set(elected.term().fencingToken()); // goes with each write of the leader
  }

  @EventListener
  void end(LeadershipEvent.Lost lost) {
    token.set(0);
  }
}
