package io.leasehold.consul;

import io.leasehold.Lease;
import io.leasehold.servers.ConsulServer;
import java.time.Duration;
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
    // A renewal sets the timer of the session anew
    requireNoLeaseEnds(server.url(), TTL, () -> server.stepClock(HOUR), TTL);
  }

  @Test
  void r10BackwardsTheLockOfADeadClientComesFreeInTime() throws Exception {
    Lease held =
        heldByADeadClient(
            server.port(), server::urlBy, TTL, () -> server.stepClock(HOUR.negated()));
    requireAfter(held, client().lock("a").acquire(PATIENCE));
  }
}
