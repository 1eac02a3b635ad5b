package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The wall clock of the server is set, by which it ends no lease. */
class ClockStepTest extends EtcdTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration TTL = Duration.ofSeconds(6);

  private final Map<Kind, EtcdServer> servers = new EnumMap<>(Kind.class);

  private EtcdServer server(Kind kind) {
    return servers.computeIfAbsent(kind, each -> EtcdServer.of(each).start());
  }

  @AfterAll
  void stop() {
    servers.values().forEach(EtcdServer::close);
  }

  @ParameterizedTest
  @EnumSource
  void r6ForwardsNoLeaseEnds(Kind kind) throws Exception {
    EtcdServer server = server(kind);
    Engine client = clientAt(server.url(), how -> how.ttl(TTL));
    Engine other = clientAt(server.url());
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(other.lock("a"), client);
    server.stepClock(HOUR);
    // It looks twice a second for leases that have ended
    pass(Duration.ofSeconds(2));
    assertThat(waiter).isNotDone();
    assertThat(held.isHeld()).isTrue();
    held.release();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  @Test
  void r10BackwardsTheLockOfADeadClientComesFreeInTime() throws Exception {
    EtcdServer server = server(Kind.ETCD_3_5);
    Lease held = heldByADeadClient(server, () -> server.stepClock(HOUR.negated()));
    Lease next = clientAt(server.url()).lock("a").acquire(PATIENCE);
    assertThat(held.isHeld()).isFalse();
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  /** It compares the ends of its leases with the wall clock. */
  @Test
  void by34ItComesFreeLaterByTheStep() throws Exception {
    EtcdServer server = server(Kind.ETCD_3_4);
    Lease held = heldByADeadClient(server, () -> server.stepClock(HOUR.negated()));
    Engine client = clientAt(server.url());
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client);
    awaitLost(held);
    // It is overdue by more than the server takes to look
    pass(Duration.ofSeconds(4));
    assertThat(waiter).isNotDone();
    server.stepClock(HOUR);
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  private Lease heldByADeadClient(EtcdServer server, Runnable meanwhile) throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.NONE)) {
      Engine dies = clientAt(server.urlBy(proxy.port()), how -> how.ttl(TTL));
      Lease held = dies.lock("a").acquire();
      meanwhile.run();
      proxy.refuse();
      proxy.cutAll();
      return held;
    }
  }
}
