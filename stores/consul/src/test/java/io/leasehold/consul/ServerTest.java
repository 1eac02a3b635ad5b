package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.servers.JavaProcess;
import io.leasehold.testkit.contract.ClientTest;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;

/** Tests on servers of their own. */
abstract class ServerTest extends ClientTest {
  /** The shortest of a server that has no other setting. */
  static final Duration SHORT = Duration.ofSeconds(10);

  final ConsulServer server;
  final List<ConsulServer> servers;

  ServerTest(ConsulServer server) {
    this(List.of(server));
  }

  ServerTest(List<ConsulServer> servers) {
    super("", "/");
    this.servers = servers;
    server = servers.get(0);
  }

  /** A client with a ttl of ten minutes, so that no ttl heals anything. */
  final Engine client() {
    return clientAt(server.url(), how -> how);
  }

  final Engine client(UnaryOperator<LockClientBuilder> how) {
    return clientAt(server.url(), how);
  }

  static int waiters(DistributedLock lock) {
    return lock.inspect().map(seen -> seen.waiters().size()).orElse(0);
  }

  /** Waits until there are no entries; what was given up is withdrawn in the background. */
  final void requireNothingInTheStore() {
    try (LockClient observer = client()) {
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(observer.list()).isEmpty());
    }
  }

  final JavaProcess puppet(Duration ttl) {
    JavaProcess puppet =
        JavaProcess.start(Puppet.class, server.url() + "?prefix=" + prefix(), ttl.toString());
    puppet.await("ready");
    return puppet;
  }

  @AfterAll
  final void closeServers() {
    servers.forEach(ConsulServer::close);
  }
}
