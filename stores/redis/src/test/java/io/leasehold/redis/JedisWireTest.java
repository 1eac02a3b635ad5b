package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.StoreException;
import io.leasehold.redis.Command.Name;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests in line for a connection, of threads that the system lets wait. There is one only. */
class JedisWireTest extends ServerTest {
  private static final String SLOW = "slow";
  private static final Duration WITHIN = Duration.ofSeconds(30);

  private CountDownLatch ended = new CountDownLatch(0);
  private CountDownLatch running = new CountDownLatch(0);
  private AtomicInteger looks = new AtomicInteger();
  private final AtomicLong ahead = new AtomicLong();
  private JedisWire wire;

  JedisWireTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  @BeforeEach
  void connect() {
    ended = new CountDownLatch(1);
    running = new CountDownLatch(1);
    looks = new AtomicInteger();
    Connections real = ServerAddress.of(StoreUrl.parse(server.url()), Map.of(), Set.of());
    AtomicInteger opened = new AtomicInteger();
    Connections one =
        new Connections(
            real.server(),
            () -> {
              if (opened.incrementAndGet() > 1) {
                awaitUnchecked(ended);
                throw new StoreException(StoreException.Failure.UNAVAILABLE, "no other", null);
              }
              return real.open();
            });
    wire = new JedisWire(one, new SlowThreads());
    assertThat(send(Command.of(Name.EXISTS, "a"), WITHIN)).isEqualTo(0L);
  }

  @AfterEach
  void close() {
    ended.countDown();
    running.countDown();
    wire.close();
  }

  /** A thread named so stands still once it has woken up in line. */
  private final class SlowThreads implements Clock {
    private final Clock real = new SystemClock();

    @Override
    public long nanos() {
      // The first two readings are before it sleeps
      if (Thread.currentThread().getName().equals(SLOW) && looks.incrementAndGet() > 2) {
        awaitUnchecked(running);
      }
      return real.nanos() + ahead.get();
    }

    @Override
    public long wallMillis() {
      return real.wallMillis();
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object send(Command command, Duration within) {
    return wire.send(List.of(command), within).toCompletableFuture().join().get(0);
  }

  private CompletableFuture<Object> start(String thread, Command command, Duration within) {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                answer.complete(send(command, within));
              } catch (RuntimeException e) {
                answer.completeExceptionally(e);
              }
            },
            thread)
        .start();
    return answer;
  }

  /** The one before holds the connection until the server is let go on. */
  private CompletableFuture<Object> startBehindAnother(Command command) {
    Object paused = server.command("CLIENT", "PAUSE", "60000", "WRITE");
    assertThat(paused).isEqualTo("OK");
    CompletableFuture<Object> first = start("first", set("first", "1"), WITHIN);
    await()
        .atMost(PATIENCE)
        .until(() -> !"0".equals(server.info("clients").get("blocked_clients")));
    CompletableFuture<Object> second = start(SLOW, command, WITHIN);
    await().atMost(PATIENCE).until(() -> looks.get() >= 2);
    Object resumed = server.command("CLIENT", "UNPAUSE");
    assertThat(resumed).isEqualTo("OK");
    assertThat(first).succeedsWithin(PATIENCE);
    await().atMost(PATIENCE).until(() -> looks.get() > 2);
    return second;
  }

  private Command set(String key, String value) {
    return Command.of(Name.SET, prefix() + key, value);
  }

  private Object stored(String key) {
    return server.command("EXISTS", prefix() + key);
  }

  @Test
  void whatIsInLineIsSentBeforeItsThreadRuns() {
    CompletableFuture<Object> second = startBehindAnother(set("second", "1"));
    await().atMost(PATIENCE).until(() -> stored("second").equals(1L));
    assertThat(second).isNotDone();
    running.countDown();
    assertThat(second).succeedsWithin(PATIENCE).isEqualTo("OK".getBytes(StandardCharsets.UTF_8));
    assertThat(send(Command.of(Name.EXISTS, prefix() + "second"), WITHIN)).isEqualTo(1L);
  }

  /** It is answered all the same: the answer is there. */
  @Test
  void aThreadThatRunsTooLateReadsForAllTheSame() {
    CompletableFuture<Object> second = startBehindAnother(set("late", "1"));
    await().atMost(PATIENCE).until(() -> stored("late").equals(1L));
    ahead.addAndGet(WITHIN.toNanos());
    running.countDown();
    assertThat(second).succeedsWithin(PATIENCE);
    assertThat(send(Command.of(Name.EXISTS, prefix() + "late"), WITHIN)).isEqualTo(1L);
  }

  /** A write that does not fit could take as long as the server does not read. */
  @Test
  void muchIsSentByItsOwnThread() {
    CompletableFuture<Object> second = startBehindAnother(set("much", "x".repeat(9_000)));
    assertThat(stored("much")).isEqualTo(0L);
    running.countDown();
    assertThat(second).succeedsWithin(PATIENCE);
    assertThat(stored("much")).isEqualTo(1L);
  }
}
