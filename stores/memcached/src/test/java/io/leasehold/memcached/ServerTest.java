package io.leasehold.memcached;

import io.leasehold.Leasehold;
import io.leasehold.LockClientBuilder;
import io.leasehold.internal.Engine;
import io.leasehold.servers.MemcachedServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/** Tests on a server of their own. Each has a prefix of its own, and its clients end with it. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a first run fetches the server
abstract class ServerTest {
  /** How long a test waits for what must come. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  final MemcachedServer server;
  private final List<Engine> clients = new ArrayList<>();
  private String prefix = UUID.randomUUID() + ":";

  ServerTest(String... options) {
    this(MemcachedServer.start(options));
  }

  ServerTest(MemcachedServer server) {
    this.server = server;
  }

  /** A client with a ttl of ten minutes, so that no ttl heals anything. */
  final Engine client() {
    return client(server.url(), how -> how);
  }

  final Engine client(Duration ttl) {
    return client(server.url(), how -> how.ttl(ttl));
  }

  final Engine client(String url, UnaryOperator<LockClientBuilder> how) {
    LockClientBuilder builder =
        Leasehold.builder(url + "?prefix=" + prefix)
            .acceptUnfenced()
            .ttl(Duration.ofMinutes(10))
            .closeTimeout(Duration.ofSeconds(1));
    Engine client = (Engine) how.apply(builder).build();
    clients.add(client);
    return client;
  }

  /** Under which a lock stands. */
  final String key(String name) {
    return MemcachedStore.key(prefix, name);
  }

  /** The answer to {@code get}: a line, the value's lines, and END. */
  final List<String> value(String name) {
    return server.command("get " + key(name));
  }

  static ConditionFactory await() {
    return Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE);
  }

  @AfterEach
  final void closeClients() {
    clients.forEach(Engine::close);
    clients.clear();
    prefix = UUID.randomUUID() + ":";
  }

  @AfterAll
  final void closeServer() {
    server.close();
  }
}
