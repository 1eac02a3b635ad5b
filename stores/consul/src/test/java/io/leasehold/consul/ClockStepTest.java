package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The wall clock of the server is set, by which it ends no session. */
class ClockStepTest extends ServerTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration TTL = Duration.ofSeconds(3);

  ClockStepTest() {
    super(ConsulServer.configured().shortestTtl(TTL).start());
  }

  @Test
  void r6ForwardsNoLeaseEnds() throws Exception {
    Engine client = client(how -> how.ttl(TTL));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
    server.stepClock(HOUR);
    // A renewal sets its timer anew
    pass(TTL);
    assertThat(waiter).isNotDone();
    assertThat(held.isHeld()).isTrue();
    held.release();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  @Test
  void r10BackwardsTheLockOfADeadClientComesFreeInTime() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.NONE)) {
      Engine dies = clientAt(server.urlBy(proxy.port()), how -> how.ttl(TTL));
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
