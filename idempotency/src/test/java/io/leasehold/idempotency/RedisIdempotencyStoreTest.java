package io.leasehold.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.idempotency.contract.IdempotencyStoreContract;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.Framing;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The rules, on each server, and what a call costs. */
class RedisIdempotencyStoreTest {
  @TestInstance(Lifecycle.PER_CLASS)
  abstract static class Rules extends IdempotencyStoreContract {
    private final Kind kind;
    private IdempotencyStore store = IdempotencyStores.inMemory();

    Rules(Kind kind) {
      this.kind = kind;
    }

    @BeforeAll
    void open() {
      store = IdempotencyStores.open(RedisServers.url(kind));
    }

    @AfterAll
    void close() {
      store.close();
    }

    @Override
    protected IdempotencyStore store() {
      return store;
    }

    /** Counted by a proxy: each command is a request. */
    @Test
    void aFirstCallTakesTwoRequestsAndAReplayOne() {
      RedisServer server = RedisServers.of(kind);
      try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
          Idempotency idempotency =
              Idempotency.connect(
                  server.urlBy(proxy.port()) + "?prefix=" + UUID.randomUUID() + ":")) {
        Fingerprint print = Fingerprint.of("body");
        // So that the server knows the scripts, and the connection is there
        idempotency.execute("warm", print, claim -> "up");
        int before = proxy.requests();
        for (int i = 0; i < 10; i++) {
          assertThat(idempotency.execute("key " + i, print, claim -> "one")).isEqualTo("one");
        }
        int between = proxy.requests();
        assertThat(between - before).isEqualTo(20);
        for (int i = 0; i < 10; i++) {
          assertThat(idempotency.execute("key " + i, print, claim -> "two")).isEqualTo("one");
        }
        assertThat(proxy.requests() - between).isEqualTo(10);
      }
    }
  }

  @Nested
  class Redis extends Rules {
    Redis() {
      super(Kind.REDIS_7_0);
    }
  }

  @Nested
  class Valkey extends Rules {
    Valkey() {
      super(Kind.VALKEY_9);
    }
  }
}
