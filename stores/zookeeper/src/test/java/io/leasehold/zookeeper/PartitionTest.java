package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three servers, of which the network cuts one off. All of them go on. */
class PartitionTest extends ZooKeeperTest {
  /** A proxy on each way from one server to another. */
  private static final class Network implements ZooKeeperServer.Way {
    private record Between(int from, int to, FaultProxy proxy) {}

    private final List<Between> ways = new ArrayList<>();

    @Override
    public int port(int from, int to, int port) {
      FaultProxy proxy = FaultProxy.to("127.0.0.1", port, Framing.NONE);
      ways.add(new Between(from, to, proxy));
      return proxy.port();
    }

    private void each(int server, Consumer<FaultProxy> act) {
      ways.stream()
          .filter(way -> way.from == server || way.to == server)
          .forEach(way -> act.accept(way.proxy));
    }

    void cutOff(int server) {
      each(server, FaultProxy::refuse);
      each(server, FaultProxy::cutAll);
    }

    void heal() {
      ways.forEach(way -> way.proxy.heal());
    }

    void close() {
      ways.forEach(way -> way.proxy.close());
    }
  }

  private static final Network NETWORK = new Network();

  PartitionTest() {
    super(ZooKeeperServer.ensemble(3, NETWORK));
  }

  @AfterEach
  void heal() {
    NETWORK.heal();
  }

  @AfterAll
  void closeNetwork() {
    NETWORK.close();
  }

  /** The leader, or a follower, is alone with the client that holds the lock. */
  @ParameterizedTest
  @ValueSource(strings = {"leader", "follower"})
  void theMinorityLosesBeforeTheMajorityGrants(String mode) throws Exception {
    int index = indexOf(mode);
    ZooKeeperServer alone = servers.get(index);
    List<ZooKeeperServer> others = servers.stream().filter(each -> each != alone).toList();
    Engine minority = clientAt(alone.url(), how -> how.ttl(SHORT));
    Lease held = minority.lock("a").acquire();
    AtomicLong lostAt = new AtomicLong();
    held.onLost(() -> lostAt.set(System.nanoTime()));
    Engine majority = clientAt(ZooKeeperServer.url(others), how -> how.ttl(SHORT));
    CompletableFuture<Lease> waiter = beginToWait(majority.lock("a"), majority);
    NETWORK.cutOff(index + 1);
    Lease next = served(waiter);
    long granted = System.nanoTime();
    assertThat(held.isHeld()).isFalse();
    assertThat(lostAt.get()).isNotZero().isLessThan(granted);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
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

  private int indexOf(String mode) {
    await().atMost(PATIENCE).until(() -> servers.stream().noneMatch(each -> each.mode().isEmpty()));
    return servers.stream().map(ZooKeeperServer::mode).toList().indexOf(mode);
  }
}
