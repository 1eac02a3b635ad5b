package io.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The proxy counts what a real server does. */
@ParameterizedClass
@EnumSource
@Timeout(value = 10, unit = TimeUnit.MINUTES) // a first run fetches the servers
class RedisProxyTest {
  private static final int ROUNDS = 20;
  private static final int REQUESTS = 4;

  private final RedisServer server;
  private final FaultProxy proxy;

  RedisProxyTest(Kind kind) {
    server = RedisServer.of(kind).start();
    proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
  }

  @AfterEach
  void close() {
    proxy.close();
    server.close();
  }

  /** Sends all requests at once, and returns how many were answered before the connection ended. */
  private int pipeline() {
    int answered = 0;
    try (RedisCli cli = server.cliBy(proxy.port())) {
      send(cli);
      for (; answered < REQUESTS; answered++) {
        assertThat((List<?>) cli.read()).hasSize(2);
      }
    } catch (IOException cut) {
      return answered;
    }
    return answered;
  }

  private static void send(RedisCli cli) {
    try {
      for (int i = 0; i < REQUESTS; i++) {
        cli.send("EVAL", "return {redis.call('incr', KEYS[1]), {'a\\r\\n', false}}", "1", "n");
      }
    } catch (IOException cut) {
      return; // what was answered before can still be read
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSlicedCutIsExact(Direction direction) {
    proxy.slice(direction);
    // Often: what the client was sent last may be on its way when the connection is cut
    for (int round = 0; round < ROUNDS; round++) {
      cutAtEach();
    }
    assertThat(pipeline()).isEqualTo(REQUESTS);
    assertThat(proxy.cuts()).isEqualTo(2 * REQUESTS * ROUNDS);
  }

  private void cutAtEach() {
    for (int i = 0; i < REQUESTS; i++) {
      server.command("SET", "n", "0");
      proxy.cutBefore(proxy.requests() + i);
      assertThat(pipeline()).isEqualTo(i);
      assertThat(server.command("GET", "n")).isEqualTo("" + i);

      server.command("SET", "n", "0");
      proxy.cutAfter(proxy.requests() + i);
      assertThat(pipeline()).isEqualTo(i);
      assertThat(server.command("GET", "n")).isEqualTo("" + (i + 1));
    }
  }

  @Test
  void aMessageIsNoReply() throws IOException {
    try (RedisCli cli = server.cliBy(proxy.port())) {
      assertThat(cli.command("SUBSCRIBE", "c")).isEqualTo(List.of("subscribe", "c", 1L));
      server.command("PUBLISH", "c", "one");
      assertThat(cli.read()).isEqualTo(List.of("message", "c", "one"));
      server.command("PUBLISH", "c", "two");
      proxy.cutAfter(1);
      assertThat(cli.read()).isEqualTo(List.of("message", "c", "two"));
      assertThatThrownBy(() -> cli.command("UNSUBSCRIBE", "c"))
          .isInstanceOf(UncheckedIOException.class);
    }
    assertThat(proxy.cuts()).isEqualTo(1);
  }
}
