package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What ended while it was idle, by the server's {@code timeout} or on the way, fails no request.
 */
class IdleConnectionTest extends ServerTest {
  private final AtomicLong ahead = new AtomicLong();

  IdleConnectionTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  /** The wire's clock runs ahead; the engine's does not. */
  private Engine ahead() {
    SystemClock real = new SystemClock();
    Clock clock =
        new Clock() {
          @Override
          public long nanos() {
            return real.nanos() + ahead.get();
          }

          @Override
          public long wallMillis() {
            return real.wallMillis();
          }
        };
    StoreUrl url = StoreUrl.parse(server.url());
    Connections connections = ServerAddress.of(url, Map.of(), Set.of());
    Keys keys = new Keys(prefix());
    return add(
        Leasehold.builder(listener -> RedisStore.open(connections, keys, clock, listener))
            .ttl(Duration.ofMinutes(10)));
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 16, 600})
  void r15AReleaseAfterAPauseNeedsNoConnectionOfBefore(int seconds) throws Exception {
    Engine client = ahead();
    Lease held = client.lock("a").acquire();
    server.command("CLIENT", "KILL", "TYPE", "normal");
    ahead.addAndGet(Duration.ofSeconds(seconds).toNanos());
    held.release();
    client.lock("a").acquire().release();
    requireNothingLeft(client);
  }

  @Test
  void oneThatIsStillThereIsAskedOnce() throws Exception {
    Engine client = ahead();
    client.lock("a").acquire().release();
    ahead.addAndGet(Duration.ofSeconds(6).toNanos());
    CommandCounts counts = CommandCounts.from(server);
    client.lock("a").acquire().release();
    client.lock("a").acquire().release();
    assertThat(counts.of("ping")).isEqualTo(1);
  }
}
