package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Of three servers the leader dies, or one after another is restarted. */
class ThreeServersTest extends ServerTest {
  ThreeServersTest() {
    super(ConsulServer.configured().startThree());
  }

  /** Of those that live. */
  private ConsulServer leader() {
    await().atMost(PATIENCE).ignoreExceptions().until(() -> leaders().size() == 1);
    return leaders().get(0);
  }

  private List<ConsulServer> leaders() {
    return servers.stream()
        .filter(each -> each.process().isAlive())
        .filter(ConsulServer::isLeader)
        .toList();
  }

  private ConsulServer follower() {
    ConsulServer leader = leader();
    return servers.stream().filter(each -> each != leader).findFirst().orElseThrow();
  }

  @AfterEach
  void startAgain() {
    servers.stream().filter(each -> !each.process().isAlive()).forEach(ConsulServer::start);
    awaitServing();
  }

  /** Until those that live know who leads. */
  private void awaitServing() {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                servers.stream()
                    .filter(each -> each.process().isAlive())
                    .forEach(each -> each.get("/v1/session/list?consistent")));
  }

  @Test
  void aFollowersClientKeepsItsLockWhenTheLeaderDies() throws Exception {
    Engine client = clientAt(follower().url(), how -> how.ttl(SHORT.multipliedBy(2)));
    Engine other = clientAt(follower().url(), how -> how);
    Lease held = client.lock("a").acquire();
    leader().kill();
    await().atMost(PATIENCE).ignoreExceptions().until(() -> other.lock("a").inspect().isPresent());
    assertThat(other.lock("a").tryAcquire()).isEmpty();
    assertThat(held.isHeld()).isTrue();
    held.release();
    other.lock("a").acquire(PATIENCE).release();
  }

  @Test
  void aWaiterIsServedThoughTheLeaderDies() throws Exception {
    Engine holder = clientAt(follower().url(), how -> how);
    Engine client = clientAt(follower().url(), how -> how);
    Lease held = holder.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), holder);
    leader().kill();
    leader();
    held.release();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  @Test
  void aReleaseWhileTheLeaderDiesFreesTheLock() throws Exception {
    Engine client = clientAt(follower().url(), how -> how.requestTimeout(Duration.ofSeconds(20)));
    Engine other = clientAt(follower().url(), how -> how);
    Lease held = client.lock("a").acquire();
    leader().kill();
    try {
      held.release();
    } catch (StoreException goesOnInTheBackground) {
      assertThat(goesOnInTheBackground.failure()).isNotEqualTo(Failure.REFUSED);
    }
    awaitServing();
    Lease next = other.lock("a").acquire(PATIENCE);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    requireNothingLeft(client);
  }

  @Test
  void aRollingRestartUnderTwentyContenders() throws Exception {
    List<Engine> clients = new ArrayList<>();
    for (ConsulServer each : servers) {
      clients.add(clientAt(each.url(), how -> how.ttl(SHORT)));
    }
    List<Runnable> events = new ArrayList<>();
    for (ConsulServer each : servers) {
      events.add(() -> each.process().stop());
      events.add(
          () -> {
            each.start();
            awaitServing();
          });
    }
    underTwentyContenders(Executors.newFixedThreadPool(20), clients, events);
  }
}
