package io.leasehold.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.event.LockEvent;
import io.leasehold.internal.Engine;
import io.leasehold.testkit.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What locking costs, counted on the wire and by the server. */
class RequestCountTest extends ServerTest {
  private final FaultProxy proxy =
      FaultProxy.to("127.0.0.1", server.process().port(), TextProtocol.FRAMING);

  @AfterAll
  void closeProxy() {
    proxy.close();
  }

  private Engine counted() {
    return client("memcached://127.0.0.1:" + proxy.port(), how -> how);
  }

  private static long more(Map<String, String> after, Map<String, String> before, String count) {
    return Long.parseLong(after.get(count)) - Long.parseLong(before.get(count));
  }

  /** {@code add} and {@code gets} together, {@code cas}: three in two round trips. */
  @Test
  void aFreePairIsThreeRequests() throws Exception {
    Engine client = counted();
    int requests = proxy.requests();
    Map<String, String> before = server.stats();
    client.lock("a").acquire().release();
    Map<String, String> after = server.stats();
    assertThat(proxy.requests() - requests).isEqualTo(3);
    assertThat(more(after, before, "cmd_set")).as("add, cas").isEqualTo(2);
    assertThat(more(after, before, "cas_hits")).isEqualTo(1);
    assertThat(more(after, before, "cmd_get")).as("the lock, and who waits").isEqualTo(2);
    assertThat(more(after, before, "cmd_touch") + more(after, before, "delete_hits")).isZero();
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
  void r19LookingIsNone() throws Exception {
    try (Lease held = counted().lock("a").acquire()) {
      int before = proxy.requests();
      assertThat(held.isHeld()).isTrue();
      assertThat(held.remaining()).isPositive();
      assertThat(proxy.requests() - before).isZero();
    }
  }

  /** Each is written by a request of its own, all after one or a few that read them. */
  @Test
  void aRenewalIsOneEachAndAFewMore() throws Exception {
    AtomicInteger renewals = new AtomicInteger();
    Engine client =
        client(
            "memcached://127.0.0.1:" + proxy.port(),
            how ->
                how.ttl(Duration.ofSeconds(6))
                    .listener(
                        event -> {
                          if (event instanceof LockEvent.Renewed) {
                            renewals.incrementAndGet();
                          }
                        }));
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      held.add(client.lock("name " + i).acquire());
    }
    renewals.set(0);
    int before = proxy.requests();
    await().until(() -> renewals.get() >= 600);
    // Each may have been asked for once more by now, and its event is to come
    int asked = renewals.get() + held.size();
    assertThat(proxy.requests() - before).isLessThanOrEqualTo(asked * 11 / 10);
    assertThat(held).allMatch(Lease::isHeld);
    held.forEach(Lease::release);
  }

  /** It is polled ten times a second in one request, and each leaves a mark once a second. */
  @Test
  void waitingIsTenReadsASecondWhateverTheNumberOfWaiters() throws Exception {
    Engine other = client();
    Engine client = counted();
    List<Lease> held = new ArrayList<>();
    int names = 40;
    for (int i = 0; i < names; i++) {
      held.add(other.lock("name " + i).acquire());
      client.lock("name " + i).acquireAsync(Duration.ofMinutes(2));
    }
    await().until(() -> client.ledger().waiters() == names);
    long begin = System.nanoTime();
    int before = proxy.requests();
    // More often at first
    await().until(() -> proxy.requests() >= before + 4 * (10 + names));
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(2));
    held.forEach(Lease::release);
  }
}
