package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.DistributedLock;
import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import io.leasehold.testkit.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Each request of a client in turn is cut off on the wire, before the server has it and after the
 * server has applied it. With a ttl of ten minutes, the next client is in within two seconds, and
 * nothing is in doubt.
 */
class LostReplyTest extends EtcdTest {
  private static final Duration SOON = Duration.ofSeconds(2);

  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).start();
  private final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), new Http2Framing());

  @AfterAll
  void stop() {
    proxy.close();
    server.close();
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
  void ofAWaiterThatIsServed() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              CompletableFuture<Lease> waiter;
              try (Lease held = other.lock(name).acquire()) {
                waiter = beginToWait(client.lock(name), other, 1);
                assertThat(held.isHeld()).isTrue();
              }
              served(waiter).release();
            });
    assertThat(points).isGreaterThanOrEqualTo(2 * 4);
  }

  @Test
  void ofPermitsAndReaders() throws Exception {
    int points =
        loseEach(
            (client, other, name) -> {
              try (Lease one = other.semaphore(name, 3).acquire()) {
                client.semaphore(name, 3).permits(2).acquire(PATIENCE).release();
                assertThat(one.isHeld()).isTrue();
              }
              try (Lease reader = other.readWriteLock(name).readLock().acquire()) {
                client.readWriteLock(name).readLock().acquire(PATIENCE).release();
                assertThat(reader.isHeld()).isTrue();
              }
            });
    assertThat(points).isGreaterThanOrEqualTo(2 * 4);
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
    return points;
  }

  /**
   * Whether the client sent so many requests that one was lost. The first one after it connected,
   * which opens its session, may have begun in the count with the frames before it.
   */
  private boolean lose(Cut cut, int index, Act act) throws Exception {
    Engine other = clientAt(server.url());
    Engine client = clientAt(server.urlBy(proxy.port()));
    String name = "lock " + index;
    int before = proxy.cuts();
    cut.at(proxy, proxy.requests() + index);
    try {
      act.by(client, other, name);
    } catch (StoreException | ExecutionException told) {
      assertThat(told.toString()).contains("StoreException");
    }
    proxy.heal();
    DistributedLock next = other.lock(name);
    next.tryAcquire(SOON).orElseThrow().release();
    requireNothingLeft(client);
    closeClients();
    return proxy.cuts() > before;
  }
}
