package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What locking costs, counted at the server. */
class RequestCountTest extends EtcdTest {
  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).start();

  @AfterAll
  void stop() {
    server.close();
  }

  /** One that has a connection and a session. */
  private Engine warm() throws InterruptedException {
    Engine client = clientAt(server.url());
    client.lock("first").acquire().release();
    return client;
  }

  private int handled(String... labels) {
    return (int) server.metric("grpc_server_handled_total", labels);
  }

  private int txns() {
    return handled("\"Txn\"");
  }

  @Test
  void aFreePairIsTwoTransactionsAndNothingElse() throws Exception {
    Engine client = warm();
    int all = handled();
    int txns = txns();
    client.lock("a").acquire().release();
    assertThat(txns() - txns).isEqualTo(2);
    assertThat(handled() - all).isEqualTo(2);
  }

  @Test
  void aFailedTryIsTwoAndLeavesNothing() throws Exception {
    Engine client = warm();
    try (Lease held = warm().lock("a").acquire()) {
      int all = handled();
      assertThat(client.lock("a").tryAcquire()).isEmpty();
      assertThat(handled() - all).isLessThanOrEqualTo(2);
      assertThat(held.isHeld()).isTrue();
      assertThat(server.etcdctl("get", "--prefix", "--keys-only", prefix()))
          .filteredOn(line -> !line.isEmpty())
          .hasSize(1);
    }
  }

  @Test
  void r19EnteringAgainIsNone() throws Exception {
    Engine client = warm();
    Lock lock = client.lock("a").asLock();
    lock.lock();
    int all = handled();
    for (int i = 0; i < 1000; i++) {
      lock.lock();
      assertThat(lock.tryLock()).isTrue();
      lock.unlock();
      lock.unlock();
    }
    assertThat(handled() - all).isZero();
    lock.unlock();
  }

  @Test
  void aHandOverIsThreeTransactionsAndOneLook() throws Exception {
    Engine one = warm();
    Engine two = warm();
    int rounds = 20;
    Lease held = one.lock("a").acquire();
    int txns = 0;
    int ranges = 0;
    for (int i = 0; i < rounds; i++) {
      Engine next = i % 2 == 0 ? two : one;
      int txnsBefore = txns();
      int rangesBefore = handled("\"Range\"");
      CompletableFuture<Lease> waiter = next.lock("a").acquireAsync(PATIENCE);
      pass(Duration.ofMillis(50));
      held.release();
      held = served(waiter);
      txns += txns() - txnsBefore;
      ranges += handled("\"Range\"") - rangesBefore;
    }
    held.release();
    // Enter, leave, and read when woken; a poll now and then
    assertThat(txns).isLessThanOrEqualTo(3 * rounds + rounds / 4);
    assertThat(ranges).isLessThanOrEqualTo(rounds + rounds / 4);
  }

  @Test
  void manyLeasesShareABeatAndFewReads() throws Exception {
    Duration ttl = Duration.ofSeconds(6);
    Engine client = clientAt(server.url(), how -> how.ttl(ttl));
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      held.add(client.lock("name " + i).acquire());
    }
    int beats = handled("\"LeaseKeepAlive\"");
    int txns = txns();
    long begin = System.nanoTime();
    pass(ttl);
    int sent = handled("\"LeaseKeepAlive\"") - beats;
    long passed = System.nanoTime() - begin;
    // One each third of the ttl, and one that is early because the one before it was late
    assertThat(sent).isBetween(2, (int) (passed * 3 / ttl.toNanos()) + 2);
    assertThat(txns() - txns).isBetween(10, 100);
    assertThat(held).allMatch(Lease::isHeld);
    held.forEach(Lease::release);
  }

  @Test
  void ofTwoHundredWaitersAReleaseMovesTwoAtMost() throws Exception {
    // The release; and of each waiter the end of its watch, and a read of the name
    assertThat(requestsAfterARelease(warm(), warm(), 2, this::handled)).isLessThanOrEqualTo(5);
  }

  @Test
  void waitingIsOneASecondWhateverTheNumberOfWaiters() throws Exception {
    Engine other = warm();
    Engine client = warm();
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      held.add(other.lock("name " + i).acquire());
      beginToWait(client.lock("name " + i), other, 1);
    }
    pass(Duration.ofSeconds(1));
    assertThat(timeOf(4, this::txns)).isGreaterThan(Duration.ofMillis(2500));
    held.forEach(Lease::release);
  }
}
