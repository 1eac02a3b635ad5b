package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.internal.SystemClock;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A Lettuce client that could repeat commands is refused; one that could not, does not. */
@Timeout(60)
class LettuceStoresTest {
  private static final Duration SHORT = Duration.ofSeconds(1);

  private final RedisServer server = SharedServers.of(Kind.REDIS_7_0);

  @Test
  void aClientThatWouldRepeatCommandsIsRefused() {
    try (RedisClient client = RedisClient.create(server.url())) {
      assertThatThrownBy(() -> Leasehold.builder(LettuceStores.using(client)).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("REJECT_COMMANDS");
    }
  }

  @Test
  void aReplyLostIsAskedForByUsAndByNobodyElse() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
        RedisClient client = rejecting(server.urlBy(proxy.port()));
        LockClient locks =
            Leasehold.builder(LettuceStores.using(client, "lettuce-once:")).build()) {
      locks.lock("warm").acquire().release();
      CommandCounts counts = CommandCounts.from(server);

      proxy.cutAfter(proxy.requests());
      Lease lease = locks.lock("n").acquire();
      lease.release();

      await().until(() -> proxy.cuts() == 1);
      await().until(() -> ((Engine) locks).ledger().isZero());
      // The attempt that was cut, its repetition, the release, and a withdrawal of what was cut.
      assertThat(counts.of("evalsha")).isEqualTo(4);
    }
  }

  @Test
  void aServerThatIsSilentFromTheBeginningIsUnavailable() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
        RedisClient client = rejecting(server.urlBy(proxy.port()))) {
      proxy.stall(Direction.TO_CLIENT);
      requireUnavailable(() -> LettuceWire.connect(client, SHORT));
      proxy.heal();
    }
  }

  @Test
  void aServerThatFallsSilentIsUnavailable() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
        RedisClient client = rejecting(server.urlBy(proxy.port()));
        Wire wire = LettuceWire.connect(client, Duration.ofSeconds(30))) {
      proxy.stall(Direction.TO_CLIENT);
      List<byte[]> spread = new Keys("silent:").spread();
      requireUnavailable(() -> Node.probe(wire, new SystemClock(), spread, SHORT));
      proxy.heal();
    }
  }

  private static void requireUnavailable(ThrowingCallable open) {
    assertThatThrownBy(open)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
        .hasMessageContaining("in 1 s");
  }

  /** It has no effect, and needs no withdrawal. */
  @Test
  void whatLettuceDoesNotSendIsUnavailable() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
        RedisClient client = rejecting(server.urlBy(proxy.port()))) {
      int most = 10;
      client.setOptions(client.getOptions().mutate().requestQueueSize(most).build());
      try (Wire wire = LettuceWire.connect(client, Duration.ofSeconds(30))) {
        proxy.stall(Direction.TO_CLIENT);
        Command ping = Command.of(Command.Name.PING);
        assertThat(wire.send(Collections.nCopies(most, ping), SHORT)).isNotDone();
        assertThat(wire.send(List.of(ping), SHORT))
            .failsWithin(Duration.ofSeconds(30))
            .withThrowableThat()
            .havingCause()
            .isInstanceOfSatisfying(
                StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE));
        proxy.heal();
      }
    }
  }

  private static RedisClient rejecting(String url) {
    RedisClient client = RedisClient.create(url);
    client.setOptions(
        ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
    return client;
  }
}
