package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.LockException;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server is killed and comes back with what it had committed. */
class RestartTest extends ServerTest {
  @ParameterizedTest
  @EnumSource
  void whatIsHeldAndWaitedForOutlivesIt(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = client(server);
    Lease held = client.lock("a").acquire();
    Lease shared = client.readWriteLock("r").readLock().acquire();
    CompletableFuture<Lease> waiter = beginToWait(client(server), "a", client);
    server.kill();
    server.start();
    renewed(held);
    renewed(shared);
    assertThat(client(server).lock("a").tryAcquire()).isEmpty();
    assertThat(client(server).lock("r").tryAcquire()).isEmpty();
    assertThat(waiter).isNotDone();
    held.release();
    shared.release();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    requireNothingLeft(client);
  }

  /** The first question finds the connection broken. */
  private static void renewed(Lease lease) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsMatching(
            e -> e instanceof LockException || e instanceof LeaseLostException)
        .untilAsserted(() -> lease.ensureHeld(lease.remaining().plusNanos(1)));
  }

  @ParameterizedTest
  @EnumSource
  void whatIsReleasedMeanwhileIsFreeAfterIt(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = client(server);
    Lease held = client.lock("a").acquire();
    server.kill();
    long begin = System.nanoTime();
    try {
      held.release();
    } catch (StoreException told) {
      assertThat(told).hasMessageNotContaining(server.password());
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
    server.start();
    Lease next = client(server).lock("a").tryAcquire(PATIENCE).orElseThrow();
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
    requireNothingLeft(client);
  }

  @ParameterizedTest
  @EnumSource
  void r4TokensRiseOverRestartsAndWhereTheTablesAreMadeAnew(Kind kind) throws Exception {
    SqlServer server = SharedServers.of(kind);
    Engine client = client(server);
    long last = 0;
    for (int i = 0; i < 4; i++) {
      Lease held = acquired(client);
      assertThat(held.fencingToken()).isGreaterThan(last);
      last = held.fencingToken();
      held.release();
      if (i % 2 == 0) {
        server.kill();
        server.start();
      } else {
        for (String table : new String[] {"lock", "share", "queue", "meta"}) {
          execute(server, "DROP TABLE " + tables() + "_" + table);
        }
        client(server);
      }
    }
  }

  private static Lease acquired(Engine client) {
    return await()
        .atMost(PATIENCE)
        .ignoreException(StoreException.class)
        .until(() -> client.lock("a").acquire(PATIENCE), lease -> true);
  }
}
