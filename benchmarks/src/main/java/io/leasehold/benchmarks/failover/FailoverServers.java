package io.leasehold.benchmarks.failover;

import io.leasehold.benchmarks.runner.Clock;
import io.leasehold.servers.RedisCli;
import io.leasehold.servers.RedisServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A primary, the replica that is promoted next, and another one. Clients reach the primary by one
 * address, as by a virtual IP. All that goes over the network goes through proxies, so what was
 * answered and what was replicated at the moment of a failover is decided, not left to luck. Used
 * by one thread.
 */
final class FailoverServers implements AutoCloseable {
  /** How long anything may take that must happen. */
  static final Duration PATIENCE = Duration.ofSeconds(90);

  private Node primary;
  private Node next;
  private Node other;
  private final FaultProxy address;

  FailoverServers(RedisServer.Kind kind) {
    primary = new Node(kind);
    next = new Node(kind);
    other = new Node(kind);
    address = FaultProxy.to("127.0.0.1", primary.port(), Framing.RESP);
    next.follow(primary);
    other.follow(primary);
  }

  /** That of the primary, whichever it is. */
  String url() {
    return "redis://127.0.0.1:" + address.port();
  }

  /** How many requests of clients have come to that address. */
  int requests() {
    return address.requests();
  }

  Node primary() {
    return primary;
  }

  /** The replica that will be promoted. */
  Node next() {
    return next;
  }

  /** The other replica. */
  Node other() {
    return other;
  }

  /** Empties all three; returns when the replicas have what the primary has. */
  void settle() {
    try (RedisCli cli = primary.server().cli()) {
      cli.command("FLUSHALL");
      cli.command("SET", "settled", "");
      await("replicas that have caught up", () -> cli.command("WAIT", "2", "20").equals(2L));
    }
  }

  /** Whether a client waits for replicas at the primary. */
  boolean isWaitedFor() {
    return !"0".equals(primary.server().info("clients").get("blocked_clients"));
  }

  /**
   * The replica is promoted and has the address now. The connections of the clients end; the old
   * primary hears of them no more. The other replica follows the new primary.
   */
  void failOver() {
    next.promote();
    address.redirect("127.0.0.1", next.port());
    address.cutAll();
    other.follow(next);
    Node old = primary;
    primary = next;
    next = other;
    other = old;
  }

  /** The old primary comes back, as a replica of the new one. */
  void rejoin() {
    other.follow(primary);
  }

  /** Waits for what must happen. */
  static void await(String what, BooleanSupplier condition) {
    long begin = Clock.nanos();
    while (!condition.getAsBoolean()) {
      if (Clock.nanos() - begin > PATIENCE.toNanos()) {
        throw new IllegalStateException("no " + what + " in " + PATIENCE.toSeconds() + " s");
      }
      Clock.pause(Duration.ofMillis(1));
    }
  }

  @Override
  public void close() {
    address.close();
    List.of(primary, next, other).forEach(Node::close);
  }
}
