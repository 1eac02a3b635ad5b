package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What locking costs, counted on the wire. */
class RequestCountTest extends ServerTest {
  private final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), Framing.HTTP);

  RequestCountTest() {
    super(ConsulServer.configured().shortestTtl(Duration.ofSeconds(1)).start());
  }

  @AfterAll
  void closeProxy() {
    proxy.close();
  }

  /** One whose requests are counted, and which has a session. */
  private Engine counted() throws InterruptedException {
    return counted(Duration.ofMinutes(10), new AtomicInteger());
  }

  private Engine counted(Duration ttl, AtomicInteger renewals) throws InterruptedException {
    Engine client =
        clientAt(
            server.urlBy(proxy.port()),
            how ->
                how.ttl(ttl)
                    .listener(
                        event -> {
                          if (event instanceof LockEvent.Renewed) {
                            renewals.incrementAndGet();
                          }
                        }));
    client.lock("first").acquire().release();
    return client;
  }

  @Test
  void aFreePairIsTwoRequests() throws Exception {
    Engine client = counted();
    int before = proxy.requests();
    client.lock("a").acquire().release();
    assertThat(proxy.requests() - before).isEqualTo(2);
  }

  /** The agent is not asked whether it wants the body: that would be a reply more for each. */
  @Test
  void aRequestIsOneRoundTrip() throws Exception {
    Engine client = counted();
    int requests = proxy.requests();
    int replies = proxy.replies();
    for (int i = 0; i < 20; i++) {
      client.lock("a").acquire().release();
    }
    int sent = proxy.requests() - requests;
    // One of them may come in two parts
    assertThat(proxy.replies() - replies).isBetween(sent, sent + sent / 2);
  }

  @Test
  void aBusyTryIsTwo() throws Exception {
    Engine client = counted();
    try (Lease held = client().lock("a").acquire()) {
      int before = proxy.requests();
      assertThat(client.lock("a").tryAcquire()).isEmpty();
      assertThat(proxy.requests() - before).isEqualTo(2);
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void r19EnteringAgainAndLookingAreNone() throws Exception {
    Engine client = counted();
    Lock lock = client.lock("a").asLock();
    lock.lock();
    int before = proxy.requests();
    for (int i = 0; i < 1000; i++) {
      lock.lock();
      assertThat(lock.tryLock()).isTrue();
      lock.unlock();
      lock.unlock();
    }
    assertThat(proxy.requests() - before).isZero();
    lock.unlock();
  }

  @Test
  void renewingManyIsAFewRequests() throws Exception {
    AtomicInteger renewals = new AtomicInteger();
    Engine client = counted(Duration.ofSeconds(3), renewals);
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      held.add(client.lock("name " + i).acquire());
    }
    renewals.set(0);
    int before = proxy.requests();
    await().atMost(PATIENCE).until(() -> renewals.get() >= 3 * held.size());
    assertThat(proxy.requests() - before).isLessThanOrEqualTo(3 * held.size() / 10);
    assertThat(held).allMatch(Lease::isHeld);
    held.forEach(Lease::release);
  }

  /** More names than connections for watches. */
  @Test
  void waitingIsAFewRequestsASecondWhateverTheNumberOfWaiters() throws Exception {
    Engine other = client();
    Engine client = counted();
    List<Lease> held = new ArrayList<>();
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      held.add(other.lock("name " + i).acquire());
      waiters.add(beginToWait(client.lock("name " + i), other));
    }
    assertThat(proxy.connections()).isLessThanOrEqualTo(48);
    // The names in batches of 50, once a second
    assertThat(timeOf(8, proxy::requests)).isGreaterThan(Duration.ofMillis(2500));
    held.forEach(Lease::release);
    for (CompletableFuture<Lease> waiter : waiters) {
      served(waiter).release();
    }
  }

  @Test
  void ofTwoHundredWaitersAReleaseMovesTwoAtMost() throws Exception {
    // Each reads the name, and gives its connection to the watch of another one
    assertThat(requestsAfterARelease(client(), counted(), 1, proxy::requests))
        .isLessThanOrEqualTo(4);
  }
}
