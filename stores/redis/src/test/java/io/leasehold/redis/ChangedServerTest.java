package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Behind the address of a client another server takes over, while the client goes on. */
class ChangedServerTest {
  @Nested
  class OverJedis extends Changes {
    @Override
    Engine overProxy() {
      return clientAt(server.urlBy(proxy.port()), how -> how.ttl(TTL));
    }
  }

  @Nested
  class OverLettuce extends Changes {
    private final RedisClient lettuce = Lettuce.at(server.urlBy(proxy.port()));

    @Override
    Engine overProxy() {
      return add(Leasehold.builder(LettuceStores.using(lettuce, prefix())).ttl(TTL));
    }

    @AfterAll
    void closeLettuce() {
      lettuce.shutdown();
    }
  }

  abstract static class Changes extends ServerTest {
    static final Duration TTL = Duration.ofSeconds(20);

    final FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.NONE);

    Changes() {
      super(RedisServer.of(Kind.VALKEY_9));
    }

    abstract Engine overProxy();

    @AfterAll
    void closeProxy() {
      proxy.close();
    }

    /** The old primary stays up as a replica, and keeps its connections. */
    @Test
    void whenThePrimaryBecomesAReplicaTheClientFollowsTheAddress() throws Exception {
      try (RedisServer next = RedisServer.of(Kind.VALKEY_9).replicaOf(server).start()) {
        proxy.redirect(server.host(), server.port());
        Engine client = overProxy();
        Lease held = client.lock("held").acquire();
        Engine other = overProxy();
        Lease wanted = other.lock("wanted").acquire();
        CompletableFuture<Lease> waiter = beginToWait(client.lock("wanted"), other);
        awaitListening();
        await().atMost(PATIENCE).until(() -> states().size() == replicated(next));
        next.command("REPLICAOF", "NO", "ONE");
        server.command("REPLICAOF", next.host(), "" + next.port());
        proxy.redirect(next.host(), next.port());
        await()
            .atMost(Duration.ofSeconds(10))
            .ignoreException(StoreException.class)
            .untilAsserted(() -> client.lock("free").acquire(PATIENCE).release());
        assertThat(held.isHeld()).isTrue();
        held.release();
        await()
            .atMost(PATIENCE)
            .until(() -> listeners(server).isEmpty() && !listeners(next).isEmpty());
        await()
            .atMost(PATIENCE)
            .ignoreException(StoreException.class)
            .untilAsserted(() -> other.lock("free").acquire(PATIENCE).release());
        wanted.release();
        served(waiter).release();
        requireNothingLeft(client);
        server.command("REPLICAOF", "NO", "ONE");
      }
    }

    private int replicated(RedisServer replica) {
      return ((List<?>) replica.command("KEYS", prefix() + "*}:name:*")).size();
    }

    private static String listeners(RedisServer server) {
      return (String) server.command("CLIENT", "LIST", "TYPE", "pubsub");
    }

    @Test
    void anotherVersionHarmsNoVerb() throws Exception {
      proxy.redirect(server.host(), server.port());
      Engine client = overProxy();
      try (RedisServer older = RedisServer.of(Kind.REDIS_7_0).start()) {
        pair(client);
        proxy.redirect(older.host(), older.port());
        proxy.cutAll();
        await()
            .atMost(PATIENCE)
            .ignoreException(StoreException.class)
            .untilAsserted(() -> assertThat(client.lock("there").tryAcquire()).isPresent());
        pair(client);
        proxy.redirect(server.host(), server.port());
        proxy.cutAll();
      }
      CommandCounts counts = CommandCounts.from(server);
      await()
          .atMost(PATIENCE)
          .ignoreException(StoreException.class)
          .until(
              () -> {
                pair(client);
                return counts.of("delifeq") > 0;
              });
      requireNothingLeft(client);
    }

    private static void pair(Engine client) throws InterruptedException {
      Lease held = client.lock("a").acquire();
      held.ensureHeld(Duration.ZERO);
      held.release();
    }
  }
}
