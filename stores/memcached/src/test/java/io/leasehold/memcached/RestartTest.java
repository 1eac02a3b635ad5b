package io.leasehold.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.Lost.Reason;
import io.leasehold.internal.Engine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The server is killed, and knows nothing after it; or it stands still. */
class RestartTest extends ServerTest {
  private void restart() {
    server.process().kill();
    server.process().start();
  }

  private static Lease acquire(Engine client, String name) {
    // The first request may find the connection broken
    return await()
        .ignoreException(StoreException.class)
        .until(() -> client.lock(name).acquire(PATIENCE), lease -> true);
  }

  @Test
  void r6TheHolderIsToldAtItsNextRenewalAndTheWaiterGoesOn() throws Exception {
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    Engine client =
        client(server.url(), how -> how.ttl(Duration.ofSeconds(9)).listener(events::add));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Duration> lost = new CompletableFuture<>();
    long begin = System.nanoTime();
    held.onLost(() -> lost.complete(Duration.ofNanos(System.nanoTime() - begin)));
    CompletableFuture<Lease> waiter = client().lock("a").acquireAsync(PATIENCE);
    await().until(() -> server.stats().get("curr_items").equals("2"));
    restart();
    assertThat(lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .as("at a renewal, not at its end")
        .isLessThan(Duration.ofMillis(8500));
    waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
    await()
        .until(
            () ->
                events.stream()
                    .anyMatch(e -> e instanceof LockEvent.Lost l && l.reason() == Reason.GONE));
  }

  /** The server counts anew: both items have the same number. */
  @Test
  void r7ALateReleaseDoesNotTakeAnotherItemForItsOwn() throws Exception {
    restart();
    Engine one = client();
    Lease lost = acquire(one, "a");
    String cas = casOf("a");
    restart();
    Engine two = client();
    Lease held = acquire(two, "a");
    assertThat(casOf("a")).isEqualTo(cas);
    assertThatThrownBy(lost::release)
        .isInstanceOfAny(LeaseLostException.class, StoreException.class);
    assertThat(one.lock("a").tryAcquire()).isEmpty();
    assertThat(held.isHeld()).isTrue();
    held.release();
  }

  private String casOf(String name) {
    String[] words = server.command("gets " + key(name)).get(0).split(" ", -1);
    return words[words.length - 1];
  }

  @Test
  void r17AServerThatStandsStillForLongerThanTheTtl() throws Exception {
    Engine client = client(server.url(), how -> how.ttl(Duration.ofSeconds(1)));
    Engine other = client(server.url(), how -> how.requestTimeout(Duration.ofMillis(500)));
    Lease held = client.lock("a").acquire();
    server.process().pause();
    try {
      await().until(() -> !held.isHeld());
      assertThatThrownBy(() -> other.lock("a").tryAcquire()).isInstanceOf(StoreException.class);
    } finally {
      server.process().resume();
    }
    Lease next = acquire(other, "a");
    assertThat(held.isHeld()).isFalse();
    assertThatThrownBy(held::release).isInstanceOf(LeaseLostException.class);
    assertThat(client.lock("a").tryAcquire()).isEmpty();
    next.release();
  }
}
