package io.leasehold.testkit.simulation;

import io.leasehold.spi.support.Clock;
import io.leasehold.testkit.InMemoryServer;
import java.time.Duration;

/** What the parts of one simulation share: time, the plan, the server, who judges. */
final class World {
  final Plan plan;
  final Timeline time;
  final Trace trace;
  final Judge judge;
  final InMemoryServer server;
  private final Sometimes.Counts counts;
  private final long rate;
  private boolean faulty = true;
  private boolean down;
  private boolean draining;
  private long expiryAt;

  World(Plan plan, Dice dice, Timeline time, Trace trace, Sometimes.Counts counts) {
    this.plan = plan;
    this.time = time;
    this.trace = trace;
    this.counts = counts;
    this.rate = 1_000_000 + dice.between(-4_900L, 4_900L);
    Clock clock =
        new Clock() {
          @Override
          public long nanos() {
            return time.now() / 1_000_000 * rate + time.now() % 1_000_000 * rate / 1_000_000;
          }

          @Override
          public long wallMillis() {
            return time.now() / 1_000_000;
          }
        };
    this.server = new InMemoryServer(plan.store(), clock, Runnable::run);
    this.judge = new Judge(this);
  }

  void saw(Sometimes what) {
    counts.saw(what);
  }

  /** Whether single messages go wrong. */
  boolean isFaulty() {
    return faulty;
  }

  /** Whether the server is. */
  boolean isDown() {
    return down;
  }

  void setDown(boolean isDown) {
    down = isDown;
    trace.line("server", isDown ? "down" : "up");
  }

  /** Whether callers ask for nothing more and hold on to nothing. */
  boolean isDraining() {
    return draining;
  }

  void heal() {
    faulty = false;
    draining = true;
    trace.line("world", "heals");
  }

  /** After each request: lets a server with a timer notice in time what expires next. */
  void watchExpiry() {
    if (plan.lazyExpiry()) {
      return;
    }
    long left = server.untilNextExpiry().map(Duration::toNanos).orElse(Long.MAX_VALUE / 8);
    long wait = left / rate * 1_000_000 + left % rate * 1_000_000 / rate + 1;
    if (left < Long.MAX_VALUE / 8 && (expiryAt <= time.now() || time.now() + wait < expiryAt)) {
      expiryAt = time.now() + wait;
      time.in(
          wait,
          () -> {
            server.expire();
            watchExpiry();
          });
    }
  }
}
