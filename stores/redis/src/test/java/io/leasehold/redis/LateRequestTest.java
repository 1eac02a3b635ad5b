package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.DistributedLock;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;

/**
 * An attempt is held up on its connection until its caller has given up and, over another
 * connection, has withdrawn it. When it lands it leaves nothing.
 */
class LateRequestTest extends ServerTest {
  private final FaultProxy slow;

  LateRequestTest() {
    super(RedisServer.of(Kind.VALKEY_9));
    slow = FaultProxy.to(server.host(), server.port(), Framing.RESP);
  }

  @AfterAll
  void closeProxy() {
    slow.close();
  }

  /** Its first connection goes by the proxy. */
  private Engine slowAtFirst() {
    AtomicInteger made = new AtomicInteger();
    Connections connections =
        new Connections(
            "the server",
            () -> {
              Connection connection =
                  new Connection(
                      server.host(), made.getAndIncrement() == 0 ? slow.port() : server.port());
              connection.connect();
              return new Link(connection, connection::forceDisconnect);
            });
    Keys keys = new Keys(prefix());
    return add(
        Leasehold.builder(
                listener -> RedisStore.open(connections, keys, new SystemClock(), listener))
            .ttl(Duration.ofMinutes(10))
            .requestTimeout(Duration.ofMillis(300)));
  }

  @Test
  void r9OfEveryKindItLeavesNothing() {
    for (Function<Engine, DistributedLock> kind :
        List.<Function<Engine, DistributedLock>>of(
            client -> client.lock("a"),
            client -> client.lock("a").with(LockOptions.defaults().fair()),
            client -> client.readWriteLock("a").readLock(),
            client -> client.semaphore("a", 3).permits(2))) {
      Engine client = slowAtFirst();
      slow.stall(Direction.TO_SERVER);
      assertThatThrownBy(() -> kind.apply(client).acquire(Duration.ofMillis(300)))
          .isInstanceOf(StoreException.class);
      requireNothingLeft(client);
      CommandCounts counts = CommandCounts.from(server);
      slow.heal();
      await().atMost(PATIENCE).until(() -> counts.of("evalsha") == 1);
      assertThat(states()).isEmpty();
      closeClients();
    }
  }
}
