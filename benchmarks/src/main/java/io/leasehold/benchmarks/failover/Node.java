package io.leasehold.benchmarks.failover;

import io.leasehold.servers.RedisServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.util.List;
import java.util.function.Supplier;

/**
 * A server, and the proxy by which it is reached in its role: by the clients as a primary, by its
 * primary as a replica. Each role has a new one, so no fault outlives it, and none has to be healed
 * at a moment that matters.
 */
final class Node implements AutoCloseable {
  private final RedisServer server;
  private volatile FaultProxy proxy;

  /** What names the first request that is not answered; empty for none. */
  private volatile String mutedBy = "";

  /** A primary. */
  Node(RedisServer.Kind kind) {
    // It sees sooner that the child has ended that sent a copy
    server = RedisServer.of(kind).config("hz 100").start();
    proxy = front();
  }

  private FaultProxy front() {
    return FaultProxy.to(
        server.host(),
        server.port(),
        direction ->
            direction == Direction.TO_SERVER
                ? new Named(() -> mutedBy, this::mute)
                : Framing.NONE.scanner(direction));
  }

  private FaultProxy link() {
    return FaultProxy.to(server.host(), server.port(), Framing.NONE);
  }

  /** Reads requests; acts before one that has a name in it reaches the server. */
  private static final class Named implements Framing.Scanner {
    private final Supplier<String> name;
    private final Runnable action;
    private final StringBuilder last = new StringBuilder();

    Named(Supplier<String> name, Runnable action) {
      this.name = name;
      this.action = action;
    }

    @Override
    public boolean ends(byte next) {
      String wanted = name.get();
      last.append((char) next);
      last.delete(0, Math.max(0, last.length() - wanted.length()));
      if (!wanted.isEmpty() && wanted.contentEquals(last)) {
        action.run();
      }
      return false;
    }
  }

  RedisServer server() {
    return server;
  }

  /** Where clients reach it as a primary. */
  int port() {
    return proxy.port();
  }

  /** A primary gets nothing more of its clients. */
  void deafen() {
    proxy.drop(Direction.TO_SERVER);
  }

  /** It gets all, and nothing of what it answers arrives from the request on that names this. */
  void muteAt(String name) {
    mutedBy = name;
  }

  private void mute() {
    proxy.drop(Direction.TO_CLIENT);
  }

  /** A replica gets nothing more. */
  void starve() {
    proxy.drop(Direction.TO_CLIENT);
  }

  /** Becomes a replica; what it has and the primary does not is gone then. */
  void follow(Node primary) {
    FaultProxy before = proxy;
    proxy = primary.link();
    server.command("REPLICAOF", "127.0.0.1", "" + proxy.port());
    before.close();
  }

  /** Becomes a primary, with all that it has. */
  void promote() {
    server.command("REPLICAOF", "NO", "ONE");
    proxy.close();
    mutedBy = "";
    proxy = front();
  }

  /** Whether it has a key with this in its name. */
  boolean has(String name) {
    return !((List<?>) server.command("KEYS", "*" + name + "*")).isEmpty();
  }

  @Override
  public void close() {
    proxy.close();
    server.close();
  }
}
