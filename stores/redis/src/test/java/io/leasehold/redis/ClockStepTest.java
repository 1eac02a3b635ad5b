package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The server's wall clock, by which it ends leases, is set. */
class ClockStepTest extends ServerTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  ClockStepTest() {
    super(RedisServer.of(Kind.REDIS_7_0).withSteppableClock());
  }

  @Test
  void r6ForwardsItEndsLeasesAndTheHolderIsTold() throws Exception {
    Engine client = client(how -> how.ttl(Duration.ofSeconds(6)));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
    CompletableFuture<Void> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(null));
    server.stepClock(MINUTE);
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    assertThat(lost).succeedsWithin(PATIENCE);
    assertThat(next.isHeld()).isTrue();
    next.release();
  }

  @Test
  void r4BackwardsTokensRiseAllTheSame() throws Exception {
    Engine client = client();
    long last = 0;
    for (int i = 0; i < 20; i++) {
      try (Lease held = client.lock("a").acquire()) {
        assertThat(held.fencingToken()).isGreaterThan(last);
        last = held.fencingToken();
      }
      server.stepClock(i % 5 == 0 ? MINUTE.negated() : Duration.ofMillis(-1));
    }
    server.stepClock(MINUTE.multipliedBy(5));
  }

  @Test
  void backwardsHoldersAndWaitersGoOn() throws Exception {
    Engine client = client(how -> how.ttl(Duration.ofSeconds(2)));
    Engine other = client(how -> how.ttl(Duration.ofSeconds(2)));
    Lease held = client.lock("a").acquire();
    Lease reader = client.readWriteLock("r").readLock().acquire();
    CompletableFuture<Lease> waiter = beginToWait(other.lock("a"), client);
    server.stepClock(MINUTE.negated());
    pass(Duration.ofSeconds(3));
    assertThat(List.of(held, reader)).allMatch(Lease::isHeld);
    LockSnapshot seen = client.lock("a").inspect().orElseThrow();
    assertThat(seen.waiters()).hasSize(1);
    assertThat(seen.holders()).allMatch(h -> !h.heldFor().isNegative());
    held.release();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    reader.release();
    server.stepClock(MINUTE);
  }

  @Test
  void backwardsADeadHolderStandsLongerByTheStep() throws Exception {
    Engine client = client(how -> how.ttl(Duration.ofSeconds(30)));
    Lease held = client.lock("a").acquire();
    server.stepClock(MINUTE.negated());
    LockSnapshot seen = client.lock("a").inspect().orElseThrow();
    assertThat(seen.holders().get(0).remaining()).isGreaterThan(MINUTE);
    assertThat(held.remaining())
        .as("the holder does not believe it")
        .isLessThan(Duration.ofSeconds(30));
    held.release();
    server.stepClock(MINUTE);
  }
}
