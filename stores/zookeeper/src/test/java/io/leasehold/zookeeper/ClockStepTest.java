package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The wall clock of the server is set, by which it ends no session. */
class ClockStepTest extends ZooKeeperTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration TTL = Duration.ofSeconds(6);

  ClockStepTest() {
    super(List.of(ZooKeeperServer.startWithSteppableClock()));
  }

  @Test
  void r6ForwardsNoLeaseEnds() throws Exception {
    Engine client = client(how -> how.ttl(TTL));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
    server.stepClock(HOUR);
    pass(ZooKeeperServer.TICK.multipliedBy(10));
    assertThat(waiter).isNotDone();
    held.release();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  @Test
  void r10BackwardsTheLockOfADeadClientComesFreeInTime() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.NONE)) {
      Engine dies = clientAt("zookeeper://127.0.0.1:" + proxy.port(), how -> how.ttl(TTL));
      Lease held = dies.lock("a").acquire();
      server.stepClock(HOUR.negated());
      proxy.refuse();
      proxy.cutAll();
      Lease next = client().lock("a").acquire(PATIENCE);
      assertThat(held.isHeld()).isFalse();
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      next.release();
    }
  }
}
