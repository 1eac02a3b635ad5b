package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.testkit.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What locking costs, counted on the wire. */
class RequestCountTest extends ZooKeeperTest {
  private final Requests requests = new Requests();
  private final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port(), requests);

  @AfterAll
  void closeProxy() {
    proxy.close();
  }

  /** One whose requests are counted, and that has a session. */
  private Engine counted(Duration ttl) throws InterruptedException {
    Engine client = clientAt("zookeeper://127.0.0.1:" + proxy.port(), how -> how.ttl(ttl));
    client.lock("first").acquire().release();
    return client;
  }

  private Engine counted() throws InterruptedException {
    return counted(Duration.ofMinutes(10));
  }

  @Test
  void aFreePairIsThreeRequests() throws Exception {
    Engine client = counted();
    client.lock("a").acquire().release();
    int before = requests.count();
    client.lock("a").acquire().release();
    assertThat(requests.count() - before).isEqualTo(3);
  }

  @Test
  void aBusyTryIsAtMostFour() throws Exception {
    Engine client = counted();
    try (Lease held = client().lock("a").acquire()) {
      int before = requests.count();
      assertThat(client.lock("a").tryAcquire()).isEmpty();
      assertThat(requests.count() - before).isLessThanOrEqualTo(4);
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void r19EnteringAgainAndLookingAreNone() throws Exception {
    Engine client = counted();
    Lock lock = client.lock("a").asLock();
    lock.lock();
    int before = requests.count();
    for (int i = 0; i < 1000; i++) {
      lock.lock();
      lock.unlock();
    }
    assertThat(requests.count() - before).isZero();
    lock.unlock();
  }

  @Test
  void waitingIsOneASecondWhateverTheNumberOfWaiters() throws Exception {
    Engine other = client();
    Engine client = counted();
    List<Lease> held = new ArrayList<>();
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      held.add(other.lock("name" + i).acquire());
      waiters.add(beginToWait(client.lock("name" + i), other));
    }
    pass(Duration.ofSeconds(1));
    assertThat(timeOf(4, requests::count)).isGreaterThan(Duration.ofMillis(2500));
    waiters.forEach(waiter -> waiter.cancel(true));
    held.forEach(Lease::release);
  }

  /** The one that is next watches the holder, and the one after it that one. */
  @Test
  void ofManyWaitersAReleaseWakesOne() throws Exception {
    Engine other = client();
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    Lease held = other.lock("a").acquire();
    for (int i = 0; i < 10; i++) {
      waiters.add(beginToWait(counted().lock("a"), other));
    }
    int before = requests.count();
    long begin = System.nanoTime();
    held.release();
    Lease first = served(waiters.get(0));
    long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds() + 1;
    assertThat(requests.count() - before).isLessThanOrEqualTo((int) (3 + 10 * seconds));
    first.release();
    for (int i = 1; i < 10; i++) {
      served(waiters.get(i)).release();
    }
  }

  @Test
  void renewingManyIsAFewRequests() throws Exception {
    Duration ttl = Duration.ofSeconds(3);
    Engine client = counted(ttl);
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      held.add(client.lock("name" + i).acquire());
    }
    int before = requests.count();
    pass(ttl);
    // What is certain after a renewal is 30 % of the ttl, and in each third of that comes the next
    assertThat(requests.count() - before).isLessThanOrEqualTo(14 * (1000 / 250 + 1));
    assertThat(held).allMatch(Lease::isHeld);
    held.forEach(Lease::release);
  }

  @Test
  void ofTwoHundredWaitersAReleaseMovesTwoAtMost() throws Exception {
    // Each reads the name
    assertThat(requestsAfterARelease(client(), counted(), 3, requests::count))
        .isLessThanOrEqualTo(2);
  }
}
