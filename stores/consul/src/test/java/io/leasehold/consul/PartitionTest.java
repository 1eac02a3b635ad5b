package io.leasehold.consul;

import static java.util.stream.Collectors.partitioningBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.servers.PeerNetwork;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three servers, of which the network cuts one off. All of them go on. */
class PartitionTest extends ServerTest {
  private static final PeerNetwork NETWORK = new PeerNetwork();

  PartitionTest() {
    super(ConsulServer.configured().shortestTtl(SHORT.dividedBy(4)).startThree(NETWORK));
  }

  @AfterEach
  void heal() {
    NETWORK.heal();
    servers.forEach(
        each ->
            await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> each.get("/v1/session/list?consistent") != null));
  }

  @AfterAll
  static void closeNetwork() {
    NETWORK.close();
  }

  private ConsulServer server(boolean leads) {
    // Asked once for both: who leads may change from one question to the next
    Map<Boolean, List<ConsulServer>> byLeading =
        await()
            .atMost(PATIENCE)
            .ignoreExceptions()
            .until(
                () -> servers.stream().collect(partitioningBy(ConsulServer::isLeader)),
                found -> found.get(true).size() == 1);
    return byLeading.get(leads).get(0);
  }

  /** The leader, or a follower, is alone with the client that holds the lock. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theMinorityLosesBeforeTheMajorityGrants(boolean leads) throws Exception {
    ConsulServer alone = server(leads);
    ConsulServer other = servers.stream().filter(each -> each != alone).findFirst().orElseThrow();
    Engine minority = clientAt(alone.url(), how -> how.ttl(SHORT.dividedBy(2)));
    Lease held = minority.lock("a").acquire();
    AtomicLong lostAt = new AtomicLong();
    held.onLost(() -> lostAt.set(System.nanoTime()));
    Engine majority = clientAt(other.url(), how -> how);
    CompletableFuture<Lease> waiter = beginToWait(majority.lock("a"), majority);
    NETWORK.cutOff(servers.indexOf(alone));
    Lease next = served(waiter);
    long granted = System.nanoTime();
    assertThat(held.isHeld()).isFalse();
    assertThat(lostAt.get()).isNotZero().isLessThan(granted);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    assertThat(alone.process().isAlive()).isTrue();
    NETWORK.heal();
    next.release();
    Lease again =
        await()
            .atMost(PATIENCE)
            .ignoreExceptionsInstanceOf(LockException.class)
            .until(() -> minority.lock("a").acquire(PATIENCE), lease -> true);
    assertThat(again.fencingToken()).isGreaterThan(next.fencingToken());
    again.release();
  }
}
