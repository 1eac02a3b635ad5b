package io.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.leasehold.servers.EtcdServer.Kind;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The clocks of programs in Go, as their HTTP answers tell them. */
class VdsoClockTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @ParameterizedTest
  @EnumSource
  void etcd(Kind kind) throws IOException {
    try (EtcdServer server = EtcdServer.of(kind).start()) {
      requireSteps(server.port(), "/version", server::stepClock);
      server.process().kill();
      server.process().start();
      server.awaitHealthy();
      requireAhead(server.port(), "/version", Duration.ZERO);
    }
  }

  @Test
  void consul() throws IOException {
    try (ConsulServer server = ConsulServer.configured().start()) {
      requireSteps(server.port(), "/v1/status/leader", server::stepClock);
    }
  }

  private static void requireSteps(int port, String page, Consumer<Duration> step)
      throws IOException {
    requireAhead(port, page, Duration.ZERO);
    step.accept(HOUR);
    requireAhead(port, page, HOUR);
    step.accept(HOUR.multipliedBy(-3));
    requireAhead(port, page, HOUR.multipliedBy(-2));
  }

  private static void requireAhead(int port, String page, Duration ahead) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + port + page);
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    try {
      long now = System.currentTimeMillis();
      assertThat(connection.getDate() - now)
          .isCloseTo(ahead.toMillis(), within(Duration.ofMinutes(10).toMillis()));
    } finally {
      connection.disconnect();
    }
  }
}
