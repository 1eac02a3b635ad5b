package io.leasehold.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.MemcachedServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The wall clock of the server is set, by which it ends no item. */
class ClockStepTest extends ServerTest {
  private static final Duration HOUR = Duration.ofHours(1);

  ClockStepTest() {
    super(MemcachedServer.startWithSteppableClock());
  }

  @Test
  void r6ForwardsNoLeaseEnds() throws Exception {
    Lease held = client().lock("a").acquire();
    server.stepClock(HOUR);
    // It reads its clock once a second
    int seconds = uptime();
    await().until(() -> uptime() >= seconds + 2);
    assertThat(client().lock("a").tryAcquire()).isEmpty();
    held.release();
    client().lock("a").acquire(PATIENCE).release();
  }

  private int uptime() {
    return Integer.parseInt(server.stats().getOrDefault("uptime", "0"));
  }

  @Test
  void r10BackwardsTheLockOfADeadClientComesFreeInTime() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.process().port(), Framing.NONE)) {
      Engine dies = client(server.urlBy(proxy.port()), how -> how.ttl(Duration.ofSeconds(3)));
      Lease held = dies.lock("a").acquire();
      server.stepClock(HOUR.negated());
      proxy.refuse();
      proxy.cutAll();
      Lease next = client().lock("a").acquire(PATIENCE);
      assertThat(held.isHeld()).isFalse();
      next.release();
    }
  }
}
