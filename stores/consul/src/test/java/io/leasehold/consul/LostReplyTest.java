package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Each request of a client in turn is cut off on the wire, before the server has it and after the
 * server has applied it. With a ttl of ten minutes, the next client is in soon, and nothing is in
 * doubt.
 */
class LostReplyTest extends ServerTest {
  private static final Duration SOON = Duration.ofSeconds(2);

  private final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.HTTP);

  LostReplyTest() {
    super(ConsulServer.configured().start());
  }

  @AfterAll
  void closeProxy() {
    proxy.close();
  }

  /** What a client does. */
  @FunctionalInterface
  private interface Act {
    void by(Engine client, Engine other, String name) throws Exception;
  }

  /** Where a request is cut off. */
  @FunctionalInterface
  private interface Cut {
    void at(FaultProxy proxy, int request);
  }

  @Test
  void ofAFreePair() throws Exception {
    int points = loseEach((client, other, name) -> client.lock(name).acquire(PATIENCE).release());
    assertThat(points).isGreaterThanOrEqualTo(2 * 2);
  }

  @Test
  void ofATryThatFindsItBusy() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              try (Lease held = other.lock(name).acquire()) {
                assertThat(client.lock(name).tryAcquire()).isEmpty();
                assertThat(held.isHeld()).isTrue();
              }
            });
    assertThat(points).isGreaterThanOrEqualTo(2 * 2);
  }

  @Test
  void ofAFairWaiterThatIsServed() throws Exception {
    LockOptions fair = LockOptions.defaults().fair();
    int points =
        loseEach((client, other, name) -> waitAndRelease(client.lock(name).with(fair), other));
    assertThat(points).isGreaterThanOrEqualTo(2 * 4);
  }

  @Test
  void ofPermits() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              CompletableFuture<Lease> waiter;
              DistributedLock two = client.semaphore(name, 3).permits(2);
              try (Lease held = other.semaphore(name, 3).permits(2).acquire()) {
                waiter = beginToWait(two, other);
                assertThat(held.isHeld()).isTrue();
              }
              served(waiter).release();
            });
    assertThat(points).isGreaterThanOrEqualTo(2 * 4);
  }

  private static void waitAndRelease(DistributedLock lock, Engine other) throws Exception {
    CompletableFuture<Lease> waiter;
    try (Lease held = other.lock(lock.name()).acquire()) {
      waiter = beginToWait(lock, other);
      assertThat(held.isHeld()).isTrue();
    }
    served(waiter).release();
  }

  /** Yields how many requests were lost. */
  private int loseEach(Act act) throws Exception {
    int points = 0;
    for (Cut cut : List.<Cut>of(FaultProxy::cutBefore, FaultProxy::cutAfter)) {
      int index = 0;
      while (lose(cut, index, act)) {
        index++;
      }
      points += index;
    }
    requireNothingInTheStore();
    return points;
  }

  /** Whether the client sent so many requests that one was lost. */
  private boolean lose(Cut cut, int index, Act act) throws Exception {
    Engine other = client();
    Engine client = clientAt(server.urlBy(proxy.port()), how -> how);
    String name = "lock " + index;
    int before = proxy.cuts();
    cut.at(proxy, proxy.requests() + index);
    try {
      act.by(client, other, name);
    } catch (StoreException | ExecutionException told) {
      assertThat(told.toString()).contains("StoreException");
    }
    proxy.heal();
    other.lock(name).tryAcquire(SOON).orElseThrow().release();
    requireNothingLeft(client);
    closeClients();
    return proxy.cuts() > before;
  }
}
