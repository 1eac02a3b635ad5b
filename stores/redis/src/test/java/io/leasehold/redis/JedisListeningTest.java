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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JedisListeningTest extends ServerTest {
  private static final Duration PING = Duration.ofMillis(500);

  private static final Duration SHORT = Duration.ofMillis(50);

  /** Longer than any test. */
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Another for each test: the server may still end the connection of the last. */
  private String channel = "";

  private int tests;
  private Threads threads;
  private BlockingQueue<String> messages;
  private FaultProxy proxy;
  private JedisListening listening;
  private Subscription news;

  private AtomicInteger offers;
  private AtomicInteger offersHeard;
  private volatile boolean begun;

  /** Whether the caller that hears has heard something, in the end. */
  private CompletableFuture<Boolean> result;

  JedisListeningTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  @BeforeEach
  void open() {
    tests++;
    channel = "news" + tests;
    offers = new AtomicInteger();
    offersHeard = new AtomicInteger();
    result = new CompletableFuture<>();
    begun = false;
    threads = new Threads();
    messages = new LinkedBlockingQueue<>();
    proxy = FaultProxy.to(server.host(), server.port(), Framing.RESP);
  }

  /** Lets callers read as {@link ReadingTurn} says of this pause. */
  private void listen(Duration ping, Duration pause) {
    StoreUrl url = StoreUrl.parse(server.urlBy(proxy.port()));
    listening =
        new JedisListening(
            ServerAddress.of(url, Map.of(), Set.of()),
            threads,
            new SystemClock(),
            new JedisListening.Times(ping, pause),
            (here, error) -> false);
    news = listening.listen(channel, this::hear, () -> {});
    assertThat(news.established().toCompletableFuture()).succeedsWithin(PATIENCE).isEqualTo(1);
  }

  private void hear(byte[] message) {
    String text = Command.text(message);
    if (text.equals("throw")) {
      throw new IllegalStateException("planted");
    } else if (text.equals("offer")) {
      offersHeard.incrementAndGet();
    } else {
      messages.add(text);
    }
  }

  @AfterEach
  void close() {
    listening.close();
    threads.close();
    proxy.close();
  }

  private void publish(String message) {
    assertThat(server.command("PUBLISH", channel, message)).isEqualTo(1L);
  }

  @Test
  void aConnectionWhosePingsAreAnsweredStays() throws Exception {
    listen(PING, LONG);
    int begun = proxy.requests();
    await().atMost(PATIENCE).until(() -> proxy.requests() >= begun + 5);
    publish("a");
    assertThat(messages.take()).isEqualTo("a");
    assertThat(news.connection()).isEqualTo(1);
  }

  /** A script's messages come together. */
  @Test
  void messagesOnTwoChannelsAreHeardInTheirOrder() throws Exception {
    listen(PING, LONG);
    Subscription sports =
        listening.listen("sports", message -> messages.add(Command.text(message)), () -> {});
    assertThat(sports.established().toCompletableFuture()).succeedsWithin(PATIENCE);
    String publish =
        "for i = 1, 300 do redis.call('publish', i % 4 == 0 and 'sports' or ARGV[1],"
            + " i .. (i % 50 == 0 and (' '):rep(20000) or '')) end";
    server.command("EVAL", publish, "0", channel);
    for (int i = 1; i <= 300; i++) {
      assertThat(messages.take().strip()).isEqualTo("" + i);
    }
  }

  @Test
  void aSilentConnectionIsMadeAgain() throws Exception {
    listen(PING, LONG);
    proxy.drop(Direction.TO_CLIENT);
    await().atMost(PATIENCE).until(() -> news.connection() == 0);
    proxy.heal();
    listensAnew();
  }

  // ---- on a caller's thread

  /** Begins to hear, once the thread that listens has let it. */
  private Thread beginToHear() {
    Thread caller = new Thread(this::hearAtLast, "caller");
    caller.start();
    await()
        .pollInterval(Duration.ofMillis(1))
        .atMost(PATIENCE)
        .until(() -> isReading(caller) && offersHeard.get() == offers.get());
    begun = true;
    return caller;
  }

  private void hearAtLast() {
    boolean heard = news.hear(() -> true);
    while (!begun) {
      if (!heard) {
        // The thread reads it, and may let a caller read then
        offers.incrementAndGet();
        publish("offer");
      }
      heard = news.hear(() -> true);
    }
    result.complete(heard);
  }

  private static boolean isReading(Thread thread) {
    return Stream.of(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(ChannelSocket.class.getName()));
  }

  private void listensAnew() throws InterruptedException {
    await().atMost(PATIENCE).until(() -> news.connection() == 2);
    publish("a");
    assertThat(messages.take()).isEqualTo("a");
  }

  @Test
  void aCallerHearsAMessageItself() {
    listen(LONG, LONG);
    beginToHear();
    publish("a");
    assertThat(result).succeedsWithin(PATIENCE).isEqualTo(true);
    assertThat(messages).containsExactly("a");
    assertThat(news.connection()).isEqualTo(1);
  }

  @Test
  void theThreadHearsWhatComesOnceCallersDoNot() throws Exception {
    listen(LONG, SHORT);
    beginToHear();
    publish("a");
    assertThat(messages.take()).isEqualTo("a");
    publish("b");
    assertThat(messages.take()).isEqualTo("b");
  }

  /** It is not waited for by messages alone: the server is asked for an answer. */
  @Test
  void aCallerReturnsSoonIfNoMessageComes() throws Exception {
    listen(LONG, SHORT);
    beginToHear();
    assertThat(result).succeedsWithin(PATIENCE).isEqualTo(true);
    assertThat(messages).isEmpty();
    publish("a");
    assertThat(messages.take()).isEqualTo("a");
    assertThat(news.connection()).isEqualTo(1);
  }

  /** By the thread's next reading, which makes the connection again. */
  @Test
  void aCallerReturnsIfTheServerIsSilent() throws Exception {
    // On a busy machine the caller may have returned already: then it is the pings that tell
    listen(Duration.ofSeconds(5), SHORT);
    beginToHear();
    proxy.drop(Direction.TO_CLIENT);
    assertThat(result).succeedsWithin(PATIENCE);
    await().atMost(PATIENCE).until(() -> news.connection() == 0);
    proxy.heal();
    listensAnew();
  }

  @Test
  void aCallerReturnsIfTheConnectionBreaks() throws Exception {
    listen(LONG, LONG);
    beginToHear();
    proxy.cutAll();
    assertThat(result).succeedsWithin(PATIENCE).isEqualTo(false);
    listensAnew();
  }

  @Test
  void anInterruptEndsTheReadingOfACaller() throws Exception {
    listen(LONG, LONG);
    beginToHear().interrupt();
    assertThat(result).succeedsWithin(PATIENCE).isEqualTo(false);
    listensAnew();
  }

  @Test
  void aCallerReturnsIfListeningIsClosed() {
    listen(LONG, LONG);
    beginToHear();
    listening.close();
    assertThat(result).succeedsWithin(PATIENCE).isEqualTo(false);
  }

  /** Whatever it is: the thread that listens knows what to do. */
  @Test
  void whatIsThrownOnACallersThreadEndsTheConnection() throws Exception {
    listen(LONG, LONG);
    beginToHear();
    publish("throw");
    assertThat(result).succeedsWithin(PATIENCE).isEqualTo(false);
    listensAnew();
  }
}
