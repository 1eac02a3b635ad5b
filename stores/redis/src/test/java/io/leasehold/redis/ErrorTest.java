package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;

/** The JVM has no memory or no stack left for a moment. What comes later must not suffer. */
@Timeout(120)
class ErrorTest extends ServerTest {
  private static final Duration WITHIN = Duration.ofSeconds(30);

  /** More than there may be connections. */
  private static final int TIMES = 6;

  /** In what it happens. */
  enum Step {
    CONNECT,
    WRITE,
    READ
  }

  /** How requests are sent. */
  enum Way {
    BLOCKING {
      @Override
      Wire wire(Connections connections, Clock clock) {
        return new JedisWire(connections, clock);
      }
    },
    PIPELINED {
      @Override
      Wire wire(Connections connections, Clock clock) {
        return new PipelineWire(connections, clock);
      }
    };

    abstract Wire wire(Connections connections, Clock clock);
  }

  /** How often it is still to happen. */
  private final AtomicInteger errors = new AtomicInteger();

  ErrorTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  private Connections failingIn(Step step) {
    return new Connections("the server", () -> link(step));
  }

  private Link link(Step step) {
    failIf(step == Step.CONNECT);
    AtomicBoolean connected = new AtomicBoolean();
    Connection connection =
        new Connection(
            new DefaultJedisSocketFactory(new HostAndPort(server.host(), server.port())),
            DefaultJedisClientConfig.builder().build()) {
          @Override
          protected void flush() {
            failIf(connected.get() && step == Step.WRITE);
            super.flush();
          }

          @Override
          public Object getOne() {
            failIf(connected.get() && step == Step.READ);
            return super.getOne();
          }

          @Override
          public Object getUnflushedObject() {
            failIf(connected.get() && step == Step.READ);
            return super.getUnflushedObject();
          }
        };
    connected.set(true);
    return new Link(connection, connection::forceDisconnect);
  }

  private void failIf(boolean here) {
    if (here && errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new StackOverflowError("planted");
    }
  }

  static Stream<Arguments> waysAndSteps() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(Step.values()).map(step -> Arguments.of(way, step)));
  }

  /** Each request fails at once, and says why. */
  @ParameterizedTest
  @MethodSource("waysAndSteps")
  void oneThatIsSentLaterIsAnswered(Way way, Step step) {
    try (Wire wire = way.wire(failingIn(step), new SystemClock())) {
      for (int i = 0; i < TIMES; i++) {
        errors.set(1);
        assertThatThrownBy(() -> ping(wire))
            .isInstanceOf(CompletionException.class)
            .cause()
            .isInstanceOfSatisfying(
                StoreException.class,
                e ->
                    assertThat(e.failure())
                        .isEqualTo(
                            step == Step.CONNECT ? Failure.UNAVAILABLE : Failure.UNKNOWN_OUTCOME))
            .hasMessageContaining("planted");
        assertThat(errors).hasValue(0);
      }
      assertThat(ping(wire)).map(Command::text).containsExactly("PONG");
    }
  }

  /** Wherever a thread looks at the clock it may have no stack left. */
  @ParameterizedTest
  @EnumSource
  void eachIsAnsweredWithItsOwn(Way way) {
    FailingClock clock = new FailingClock();
    try (Wire wire = way.wire(failingIn(Step.CONNECT), clock)) {
      for (int reading = 1; reading <= 12; reading++) {
        clock.failAfter = reading;
        assertThat(echoes(wire)).allMatch(each -> each.isOwn() || each.failed());
        clock.failAfter = 0;
        assertThat(Stream.generate(() -> echoes(wire)).limit(3))
            .last(InstanceOfAssertFactories.list(Echo.class))
            .allMatch(Echo::isOwn);
      }
    }
  }

  /** What was sent, and what was answered; empty for a failure. */
  private record Echo(String sent, String answered) {
    boolean isOwn() {
      return sent.equals(answered);
    }

    boolean failed() {
      return answered.isEmpty();
    }
  }

  /** Several before the first is answered, where the wire does not block. */
  private static List<Echo> echoes(Wire wire) {
    return Stream.of("a", "b", "c").map(text -> echo(wire, text)).toList().stream()
        .map(CompletableFuture::join)
        .toList();
  }

  private static CompletableFuture<Echo> echo(Wire wire, String text) {
    CompletionStage<List<Object>> sent;
    try {
      sent = wire.send(List.of(Command.of(Name.PING, text)), Duration.ofSeconds(2));
    } catch (StackOverflowError e) {
      return CompletableFuture.completedFuture(new Echo(text, ""));
    }
    return sent.toCompletableFuture()
        .orTimeout(20, TimeUnit.SECONDS)
        .handle((answers, failed) -> new Echo(text, outcome(answers, failed)));
  }

  private static String outcome(@Nullable List<Object> answers, @Nullable Throwable failed) {
    if (failed instanceof TimeoutException) {
      return "no outcome";
    }
    return answers == null ? "" : Command.text(answers.get(0));
  }

  /** Fails once, after some readings. */
  private static final class FailingClock implements Clock {
    private final Clock clock = new SystemClock();
    volatile int failAfter;

    @Override
    public long nanos() {
      int left = failAfter;
      failAfter = left - 1;
      if (left == 1) {
        throw new StackOverflowError("planted");
      }
      return clock.nanos();
    }

    @Override
    public long wallMillis() {
      return clock.wallMillis();
    }
  }

  private static List<Object> ping(Wire wire) {
    return wire.send(List.of(Command.of(Name.PING)), WITHIN).toCompletableFuture().join();
  }

  @ParameterizedTest
  @EnumSource
  void listeningGoesOn(Step step) throws Exception {
    BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    try (Threads threads = new Threads()) {
      JedisListening listening = new JedisListening(failingIn(step), threads, new SystemClock());
      Subscription news =
          listening.listen("news", message -> messages.add(Command.text(message)), () -> {});
      errors.set(TIMES);
      assertThat(news.established().toCompletableFuture()).failsWithin(PATIENCE);
      await().atMost(PATIENCE).until(() -> news.connection() != 0);
      assertThat(server.command("PUBLISH", "news", "a")).isEqualTo(1L);
      assertThat(messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("a");
      listening.close();
    }
  }
}
