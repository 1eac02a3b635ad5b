package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import io.leasehold.servers.PeerNetwork;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three members, of which the network cuts one off. All of them go on. */
class PartitionTest extends EtcdTest {
  private static final Duration SHORT = Duration.ofSeconds(4);

  private final PeerNetwork network = new PeerNetwork();
  private final List<EtcdServer> members = EtcdServer.of(Kind.ETCD_3_5).startCluster(3, network);

  @AfterEach
  void heal() {
    network.heal();
    members.forEach(EtcdServer::awaitHealthy);
  }

  @AfterAll
  void stop() {
    members.forEach(EtcdServer::close);
    network.close();
  }

  private EtcdServer member(boolean leads) {
    return await()
        .atMost(PATIENCE)
        .until(
            () -> members.stream().filter(each -> each.isLeader() == leads).findFirst(),
            found -> found.isPresent() && members.stream().anyMatch(EtcdServer::isLeader))
        .orElseThrow();
  }

  /** The leader, or a follower, is alone with the client that holds the lock. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theMinorityLosesBeforeTheMajorityGrants(boolean leads) throws Exception {
    EtcdServer alone = member(leads);
    List<EtcdServer> others = members.stream().filter(each -> each != alone).toList();
    Engine minority = clientAt(alone.url(), how -> how.ttl(SHORT));
    Lease held = minority.lock("a").acquire();
    AtomicLong lostAt = new AtomicLong();
    held.onLost(() -> lostAt.set(System.nanoTime()));
    Engine majority = clientAt(EtcdServer.url(others), how -> how.ttl(SHORT));
    CompletableFuture<Lease> waiter = beginToWait(majority.lock("a"), majority, 1);
    network.cutOff(members.indexOf(alone));
    Lease next = served(waiter);
    long granted = System.nanoTime();
    assertThat(held.isHeld()).isFalse();
    assertThat(lostAt.get()).isNotZero().isLessThan(granted);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    assertThat(alone.process().isAlive()).isTrue();
    network.heal();
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
