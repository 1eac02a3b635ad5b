package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.LockException;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The server is killed and comes back, with what it knew and without. */
class RestartTest {
  @Nested
  class OnRedis70 extends Restarts {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }
  }

  @Nested
  class OnValkey9 extends Restarts {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }
  }

  abstract static class Restarts extends ServerTest {
    Restarts(Kind kind) {
      super(RedisServer.of(kind).persistent());
    }

    @Test
    void aLeaseOutlivesARestart() throws Exception {
      Engine client = client(how -> how.ttl(Duration.ofSeconds(10)));
      Lease held = client.lock("a").acquire();
      Lease shared = client.readWriteLock("r").readLock().acquire();
      CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
      server.kill();
      server.start();
      ensureHeld(held);
      ensureHeld(shared);
      assertThat(client().lock("a").tryAcquire()).isEmpty();
      held.release();
      shared.release();
      Lease next = served(waiter);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      next.release();
    }

    /** The first question may find the connection broken. */
    private static void ensureHeld(Lease lease) {
      await()
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(LockException.class)
          .untilAsserted(() -> lease.ensureHeld(lease.remaining().plusNanos(1)));
    }

    @Test
    void r6AfterALossOfAllTheHolderIsToldAndTheWaiterGoesOn() throws Exception {
      Engine client = client(how -> how.ttl(Duration.ofSeconds(3)));
      Lease held = client.lock("a").acquire();
      CompletableFuture<Void> lost = new CompletableFuture<>();
      held.onLost(() -> lost.complete(null));
      CompletableFuture<Lease> waiter = beginToWait(client().lock("a"), client);
      server.kill();
      server.startEmpty();
      assertThat(lost).succeedsWithin(PATIENCE);
      Lease next = served(waiter);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      next.release();
      requireNothingLeft(client);
    }

    @Test
    void r4TokensRiseOverRestartsAndLosses() throws Exception {
      Engine client = client();
      long last = 0;
      for (int i = 0; i < 8; i++) {
        Lease held = acquire(client);
        assertThat(held.fencingToken()).isGreaterThan(last);
        last = held.fencingToken();
        held.release();
        switch (i % 4) {
          case 0 -> server.command("FLUSHALL");
          case 1 -> server.kill();
          case 2 -> server.stop();
          default -> server.command("SCRIPT", "FLUSH");
        }
        if (i % 4 == 1) {
          server.startEmpty();
        } else if (i % 4 == 2) {
          server.start();
        }
      }
    }

    private static Lease acquire(Engine client) {
      return await()
          .atMost(PATIENCE)
          .ignoreException(StoreException.class)
          .until(() -> client.lock("a").acquire(PATIENCE), lease -> true);
    }
  }
}
