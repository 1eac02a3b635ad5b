package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data of another application under the key of a lock. */
class ForeignDataTest {
  @Nested
  class OnRedis70 extends Foreign {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }
  }

  @Nested
  class OnValkey9 extends Foreign {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }
  }

  abstract static class Foreign extends ServerTest {
    private static final String INSTEAD =
        "redis.call('DEL', KEYS[1]) return redis.call(unpack(ARGV))";

    Foreign(Kind kind) {
      super(RedisServer.of(kind));
    }

    /** Puts something else where the state of the only lock is, in one step: who waits asks on. */
    private String overwrite(String how) {
      String key = states().get(0);
      List<String> command = new ArrayList<>(List.of("EVAL", INSTEAD, "1", key));
      command.addAll(List.of(how.replace("KEY", key).split(" ", -1)));
      server.command(command.toArray(String[]::new));
      return key;
    }

    private static void requireRefused(StoreException told, String name) {
      assertThat(told.failure()).isEqualTo(Failure.REFUSED);
      assertThat(told).hasMessageContaining(name).hasMessageContaining("something else");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "SET KEY hello",
          "SET KEY m",
          "SET KEY x",
          "SET KEY mm",
          "HSET KEY f v",
          "RPUSH KEY a"
        })
    void anAttemptIsRefusedAndNothingIsOverwritten(String how) throws Exception {
      Engine client = client();
      Lease held = client.lock("a").acquire();
      String key = overwrite(how);
      Object before = server.command("DUMP", key);
      Engine other = client();
      assertThatThrownBy(() -> other.lock("a").tryAcquire())
          .isInstanceOfSatisfying(StoreException.class, told -> requireRefused(told, "a"));
      assertThatThrownBy(() -> other.lock("a").acquire(PATIENCE))
          .isInstanceOfSatisfying(StoreException.class, told -> requireRefused(told, "a"));
      assertThatThrownBy(() -> other.readWriteLock("a").readLock().tryAcquire())
          .isInstanceOfSatisfying(StoreException.class, told -> requireRefused(told, "a"));
      assertThatThrownBy(held::release).isInstanceOf(LeaseLostException.class);
      requireNothingLeft(other);
      requireNothingLeft(client);
      assertThat(server.command("DUMP", key)).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SET KEY hello", "HSET KEY f v"})
    void r6TheHolderIsToldAtItsNextRenewal(String how) throws Exception {
      Engine client = client(with -> with.ttl(Duration.ofSeconds(9)));
      Lease held = client.lock("a").acquire();
      String key = overwrite(how);
      Object before = server.command("DUMP", key);
      CompletableFuture<Duration> lost = new CompletableFuture<>();
      long begin = System.nanoTime();
      held.onLost(() -> lost.complete(Duration.ofNanos(System.nanoTime() - begin)));
      assertThat(lost).succeedsWithin(PATIENCE);
      assertThat(lost.join()).as("not by its end").isLessThan(Duration.ofMillis(8500));
      requireNothingLeft(client);
      assertThat(server.command("DUMP", key)).isEqualTo(before);
    }

    @Test
    void aWaiterIsRefused() throws Exception {
      Engine client = client();
      Lease held = client().lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), client());
      overwrite("HSET KEY f v");
      assertThat(waiter)
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .havingRootCause()
          .isInstanceOfSatisfying(StoreException.class, told -> requireRefused(told, "a"));
      requireNothingLeft(client);
      assertThat(held.isHeld()).isTrue();
    }

    @Test
    void oneKeyOfAnotherTypeHarmsNoOtherLease() throws Exception {
      Engine client = client(with -> with.ttl(Duration.ofSeconds(1)));
      Lease first = client.lock("first").acquire();
      overwrite("HSET KEY f v");
      List<Lease> others = new ArrayList<>();
      for (int i = 0; i < 149; i++) {
        others.add(client.lock("name " + i).acquire());
      }
      pass(Duration.ofSeconds(2));
      assertThat(first.isHeld()).isFalse();
      assertThat(others).allMatch(Lease::isHeld);
      others.forEach(Lease::release);
    }
  }
}
