package io.leasehold.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another program's item under the key of a lock, and the lock of another name. */
class ForeignItemTest extends ServerTest {
  private static final String ID = "00000000000000010000000000000002";

  private void write(String name, String value) {
    String command = "set " + key(name) + " 0 0 " + value.length();
    assertThat(server.command(command, value)).containsExactly("STORED");
  }

  private static void requireRefused(StoreException told) {
    assertThat(told.failure()).isEqualTo(Failure.REFUSED);
    assertThat(told).hasMessageContaining("'a'").hasMessageContaining("something else");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello",
        "",
        "leasehold1 x",
        "leasehold1 " + ID + " 1 1 1 1 99\nashort",
        "leasehold1 " + ID + " 600000 1 1 1 1\nbanother name",
        "leasehold2 " + ID + " 600000 1 1 1 1\nalater version"
      })
  void anAttemptIsRefusedAndNothingIsOverwritten(String value) {
    Engine client = client();
    write("a", value);
    List<String> before = server.command("gets " + key("a"));
    assertThatThrownBy(() -> client.lock("a").tryAcquire())
        .isInstanceOfSatisfying(StoreException.class, ForeignItemTest::requireRefused);
    assertThatThrownBy(() -> client.lock("a").acquire(PATIENCE))
        .isInstanceOfSatisfying(StoreException.class, ForeignItemTest::requireRefused);
    assertThat(server.command("gets " + key("a"))).isEqualTo(before);
  }

  @Test
  void r6TheHolderIsToldAtItsNextRenewal() throws Exception {
    Engine client = client(Duration.ofSeconds(9));
    Lease held = client.lock("a").acquire();
    write("a", "hello");
    CompletableFuture<Duration> lost = new CompletableFuture<>();
    long begin = System.nanoTime();
    held.onLost(() -> lost.complete(Duration.ofNanos(System.nanoTime() - begin)));
    assertThat(lost).succeedsWithin(PATIENCE);
    assertThat(lost.join()).as("not by its end").isLessThan(Duration.ofMillis(8500));
    assertThat(value("a")).contains("hello");
  }

  /** It is written after the renewal has read the item, and before it writes it. */
  @Test
  void r7ARenewalLeavesWhatAnotherWrote() throws Exception {
    try (FaultProxy proxy =
        FaultProxy.to("127.0.0.1", server.process().port(), TextProtocol.FRAMING)) {
      String url = "memcached://127.0.0.1:" + proxy.port();
      Lease held = client(url, how -> how.ttl(Duration.ofSeconds(9))).lock("a").acquire();
      CompletableFuture<String> lost = new CompletableFuture<>();
      held.onLost(() -> lost.complete("lost"));
      int before = proxy.requests();
      proxy.stall(Direction.TO_CLIENT);
      await().until(() -> proxy.requests() > before);
      write("a", "hello");
      proxy.heal();
      assertThat(lost).succeedsWithin(PATIENCE);
      assertThat(value("a")).contains("hello");
    }
  }

  @Test
  void r7AReleaseLeavesWhatAnotherWrote() throws Exception {
    Lease held = client().lock("a").acquire();
    write("a", "hello");
    assertThatThrownBy(held::release).isInstanceOf(LeaseLostException.class);
    assertThat(value("a")).contains("hello");
  }

  @Test
  void aWaiterIsRefused() throws Exception {
    Lease held = client().lock("a").acquire();
    CompletableFuture<Lease> waiter = client().lock("a").acquireAsync(PATIENCE);
    await().until(() -> server.command("get " + key("a") + "w").size() > 1);
    write("a", "hello");
    assertThat(waiter)
        .failsWithin(PATIENCE)
        .withThrowableThat()
        .havingRootCause()
        .isInstanceOfSatisfying(StoreException.class, ForeignItemTest::requireRefused);
    assertThat(held.isHeld()).isTrue();
  }

  /** A line end in a name would begin another command, if it came there. */
  @Test
  void r13NoNameReachesTheProtocol() throws Exception {
    Engine client = client();
    Lease kept = client.lock("kept").acquire();
    for (String name :
        List.of(
            "\r\nflush_all\r\n", "a b", "a\r\n0 0 0 1\r\nx", "😀".repeat(255), "\u0001\u007f")) {
      Lease held = client.lock(name).acquire();
      assertThat(client().lock(name).tryAcquire()).isEmpty();
      assertThat(value(name).get(0)).startsWith("VALUE " + key(name));
      held.release();
      assertThat(value(name)).containsExactly("END");
    }
    assertThat(value("kept")).hasSizeGreaterThan(1);
    kept.release();
  }
}
