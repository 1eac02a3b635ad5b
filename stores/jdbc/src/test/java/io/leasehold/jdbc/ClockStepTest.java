package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server's wall clock, by which it ends leases, is set. */
@TestInstance(Lifecycle.PER_CLASS)
class ClockStepTest extends ServerTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Map<Kind, SqlServer> servers = new EnumMap<>(Kind.class);

  private SqlServer server(Kind kind) {
    return servers.computeIfAbsent(kind, k -> SqlServer.of(k).withSteppableClock().start());
  }

  @AfterAll
  void closeServers() {
    servers.values().forEach(SqlServer::close);
  }

  @ParameterizedTest
  @EnumSource
  void r6ForwardsItEndsLeasesAndTheHolderIsTold(Kind kind) throws Exception {
    SqlServer server = server(kind);
    Engine client = client(server, how -> how.ttl(Duration.ofSeconds(6)));
    Lease held = client.lock("a").acquire();
    Lease shared = client.readWriteLock("r").readLock().acquire();
    CompletableFuture<Lease> waiter = beginToWait(client(server), "a", client);
    CompletableFuture<Void> lost = new CompletableFuture<>();
    held.onLost(() -> lost.complete(null));
    CompletableFuture<Void> sharedLost = new CompletableFuture<>();
    shared.onLost(() -> sharedLost.complete(null));
    server.stepClock(MINUTE);
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    assertThat(lost).succeedsWithin(PATIENCE);
    assertThat(sharedLost).succeedsWithin(PATIENCE);
    assertThat(next.isHeld()).isTrue();
    next.release();
    requireSoon(client(server).lock("r"));
  }

  @ParameterizedTest
  @EnumSource
  void r4BackwardsTokensRiseAllTheSame(Kind kind) throws Exception {
    SqlServer server = server(kind);
    Engine client = client(server);
    long last = 0;
    for (int i = 0; i < 20; i++) {
      try (Lease held = client.lock("a").acquire(PATIENCE)) {
        assertThat(held.fencingToken()).isGreaterThan(last);
        last = held.fencingToken();
      }
      server.stepClock(i % 5 == 0 ? MINUTE.negated() : Duration.ofMillis(-1));
    }
    server.stepClock(MINUTE.multipliedBy(5));
  }

  @ParameterizedTest
  @EnumSource
  void backwardsHoldersAndWaitersGoOn(Kind kind) throws Exception {
    SqlServer server = server(kind);
    Engine client = client(server, how -> how.ttl(Duration.ofSeconds(5)));
    Engine other = client(server, how -> how.ttl(Duration.ofSeconds(5)));
    Lease held = client.lock("a").acquire();
    Lease reader = client.readWriteLock("r").readLock().acquire();
    CompletableFuture<Lease> waiter = beginToWait(other, "a", client);
    server.stepClock(MINUTE.negated());
    pass(Duration.ofSeconds(6));
    assertThat(List.of(held, reader)).allMatch(Lease::isHeld);
    assertThat(waiter).isNotDone();
    LockSnapshot seen = client.lock("a").inspect().orElseThrow();
    assertThat(seen.waiters()).hasSize(1);
    assertThat(seen.holders()).allMatch(h -> !h.heldFor().isNegative());
    held.release();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    reader.release();
    requireSoon(other.lock("r"));
    server.stepClock(MINUTE);
  }
}
