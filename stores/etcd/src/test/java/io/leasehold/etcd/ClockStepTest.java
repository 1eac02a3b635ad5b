package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
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
    // It looks twice a second for leases that have ended
    requireNoLeaseEnds(server.url(), TTL, () -> server.stepClock(HOUR), Duration.ofSeconds(2));
  }

  @Test
  void r10BackwardsTheLockOfADeadClientComesFreeInTime() throws Exception {
    EtcdServer server = server(Kind.ETCD_3_5);
    Lease held = heldByADeadClient(server);
    requireAfter(held, clientAt(server.url()).lock("a").acquire(PATIENCE));
  }

  /** It compares the ends of its leases with the wall clock. */
  @Test
  void by34ItComesFreeLaterByTheStep() throws Exception {
    EtcdServer server = server(Kind.ETCD_3_4);
    Lease held = heldByADeadClient(server);
    Engine client = clientAt(server.url());
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client);
    awaitLost(held);
    // It is overdue by more than the server takes to look
    pass(Duration.ofSeconds(4));
    assertThat(waiter).isNotDone();
    server.stepClock(HOUR);
    requireAfter(held, served(waiter));
  }

  private Lease heldByADeadClient(EtcdServer server) throws Exception {
    return heldByADeadClient(
        server.port(), server::urlBy, TTL, () -> server.stepClock(HOUR.negated()));
  }
}
