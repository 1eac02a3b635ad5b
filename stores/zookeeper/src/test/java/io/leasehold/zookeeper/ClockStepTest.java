package io.leasehold.zookeeper;

import io.leasehold.Lease;
import io.leasehold.servers.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
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
    requireNoLeaseEnds(
        ZooKeeperServer.url(servers),
        TTL,
        () -> server.stepClock(HOUR),
        ZooKeeperServer.TICK.multipliedBy(10));
  }

  @Test
  void r10BackwardsTheLockOfADeadClientComesFreeInTime() throws Exception {
    Lease held =
        heldByADeadClient(
            server.port(),
            port -> "zookeeper://127.0.0.1:" + port,
            TTL,
            () -> server.stepClock(HOUR.negated()));
    requireAfter(held, client().lock("a").acquire(PATIENCE));
  }
}
