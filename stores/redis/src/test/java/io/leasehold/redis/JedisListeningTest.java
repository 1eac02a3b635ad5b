package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JedisListeningTest extends ServerTest {
  private static final Duration PING = Duration.ofMillis(500);

  private Threads threads;
  private BlockingQueue<String> messages;
  private FaultProxy proxy;
  private JedisListening listening;
  private Subscription news;

  JedisListeningTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  @BeforeEach
  void listen() {
    threads = new Threads();
    messages = new LinkedBlockingQueue<>();
    proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
    StoreUrl url = StoreUrl.parse(server.urlBy(proxy.port()));
    listening =
        new JedisListening(
            ServerAddress.of(url, Map.of(), Set.of()),
            threads,
            new SystemClock(),
            PING,
            (here, error) -> false);
    news = listening.listen("news", message -> messages.add(Command.text(message)), () -> {});
    assertThat(news.established().toCompletableFuture()).succeedsWithin(PATIENCE).isEqualTo(1);
  }

  @AfterEach
  void close() {
    listening.close();
    threads.close();
    proxy.close();
  }

  private void publish(String message) {
    assertThat(server.command("PUBLISH", "news", message)).isEqualTo(1L);
  }

  @Test
  void aConnectionWhosePingsAreAnsweredStays() throws Exception {
    int begun = proxy.requests();
    await().atMost(PATIENCE).until(() -> proxy.requests() >= begun + 5);
    publish("a");
    assertThat(messages.take()).isEqualTo("a");
    assertThat(news.connection()).isEqualTo(1);
  }

  /** A script's messages come together. */
  @Test
  void messagesOnTwoChannelsAreHeardInTheirOrder() throws Exception {
    Subscription sports =
        listening.listen("sports", message -> messages.add(Command.text(message)), () -> {});
    assertThat(sports.established().toCompletableFuture()).succeedsWithin(PATIENCE);
    String publish =
        "for i = 1, 300 do redis.call('publish', i % 4 == 0 and 'sports' or 'news',"
            + " i .. (i % 50 == 0 and (' '):rep(20000) or '')) end";
    server.command("EVAL", publish, "0");
    for (int i = 1; i <= 300; i++) {
      assertThat(messages.take().strip()).isEqualTo("" + i);
    }
  }

  @Test
  void aSilentConnectionIsMadeAgain() throws Exception {
    proxy.drop(Direction.TO_CLIENT);
    await().atMost(PATIENCE).until(() -> news.connection() == 0);
    proxy.heal();
    await().atMost(PATIENCE).until(() -> news.connection() == 2);
    publish("b");
    assertThat(messages.take()).isEqualTo("b");
  }
}
