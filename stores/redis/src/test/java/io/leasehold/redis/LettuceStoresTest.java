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
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A Lettuce client that could repeat commands is refused; one that could not, does not. */
@Timeout(60)
class LettuceStoresTest {
  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final Clock CLOCK = new SystemClock();

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
      requireUnavailable(() -> LettuceWire.connect(client, CLOCK, SHORT));
      proxy.heal();
    }
  }

  @Test
  void aServerThatFallsSilentIsUnavailable() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
        RedisClient client = rejecting(server.urlBy(proxy.port()));
        Wire wire = LettuceWire.connect(client, CLOCK, Duration.ofSeconds(30))) {
      proxy.stall(Direction.TO_CLIENT);
      Keys keys = new Keys("silent:");
      requireUnavailable(() -> Node.probe(wire, CLOCK, keys, SHORT));
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
      try (Wire wire = LettuceWire.connect(client, CLOCK, Duration.ofSeconds(30))) {
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

  /** Lettuce calls a connection open for a moment before it sends on it. */
  @Test
  void whatAnOpenConnectionRejectsIsSentAgain() throws Exception {
    AtomicInteger rejections = new AtomicInteger(3);
    try (RedisClient client = new RejectsAtFirst(server.url(), rejections);
        Wire wire = LettuceWire.connect(client, CLOCK, Duration.ofSeconds(30))) {
      Command ping = Command.of(Command.Name.PING);
      assertThat(wire.send(List.of(ping, ping, ping), Duration.ofSeconds(30)))
          .succeedsWithin(Duration.ofSeconds(30))
          .asInstanceOf(InstanceOfAssertFactories.LIST)
          .hasSize(3);
      assertThat(rejections).hasNegativeValue();

      rejections.set(1);
      assertThat(wire.send(List.of(ping, ping), Duration.ofSeconds(30)))
          .as("one of two was sent, and may have been done")
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .havingCause()
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.failure()).isEqualTo(Failure.UNKNOWN_OUTCOME));
    }
  }

  /** Its connection is open, and rejects the first commands. */
  private static final class RejectsAtFirst extends RedisClient {
    private final AtomicInteger rejections;

    RejectsAtFirst(String url, AtomicInteger rejections) {
      super(null, RedisURI.create(url));
      this.rejections = rejections;
      setOptions(
          ClientOptions.builder()
              .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
              .build());
    }

    @Override
    @SuppressWarnings("unchecked")
    public <K, V> StatefulRedisConnection<K, V> connect(RedisCodec<K, V> codec) {
      StatefulRedisConnection<K, V> real = super.connect(codec);
      RedisAsyncCommands<K, V> commands =
          wrap(RedisAsyncCommands.class, real.async(), "dispatch", this::rejected);
      return wrap(StatefulRedisConnection.class, real, "async", () -> commands);
    }

    private @Nullable Object rejected() {
      if (rejections.getAndDecrement() <= 0) {
        return null;
      }
      AsyncCommand<byte[], byte[], Object> command =
          new AsyncCommand<>(new io.lettuce.core.protocol.Command<>(CommandType.PING, null));
      command.completeExceptionally(
          new RedisException("Currently not connected. Commands are rejected."));
      return command;
    }

    /** The same but for one method, unless its stand-in gives nothing. */
    private static <T> T wrap(
        Class<T> type, T real, String method, Supplier<@Nullable Object> instead) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, called, arguments) -> {
                Object other = called.getName().equals(method) ? instead.get() : null;
                return other != null ? other : called.invoke(real, arguments);
              }));
    }
  }

  private static RedisClient rejecting(String url) {
    RedisClient client = RedisClient.create(url);
    client.setOptions(
        ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
    return client;
  }
}
