package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.StoreException;
import io.leasehold.redis.Command.Name;
import io.leasehold.redis.Connections.Following;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.DeafListener;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The primary becomes another one before it has answered. The one before is a silent proxy. */
@Timeout(60)
class MovedPrimaryTest extends ServerTest {
  private static final Duration WITHIN = Duration.ofSeconds(30);

  private FaultProxy before;
  private Moving moving;

  MovedPrimaryTest() {
    super(RedisServer.of(Kind.VALKEY_9));
  }

  @BeforeEach
  void begin() {
    before = FaultProxy.to(server.host(), server.port(), Framing.RESP);
    moving = new Moving();
  }

  /** Leads to the proxy until it is told to move. */
  private final class Moving implements Connections.Source {
    private volatile String place = "before:1";
    private volatile int requests = Integer.MAX_VALUE;
    private volatile Consumer<String> follower = where -> {};

    @Override
    public Link open() {
      String where = place;
      if (!where.startsWith("before")) {
        return connect(server.url()).leadingTo(where);
      }
      Link silent = connect(server.urlBy(before.port())).leadingTo(where);
      silent.write(Command.of(Name.PING));
      assertThat(silent.read(WITHIN)).as("after all that is sent to connect").isNotNull();
      before.stall(Direction.TO_CLIENT);
      requests = before.requests();
      return silent;
    }

    private Link connect(String url) {
      return ServerAddress.of(StoreUrl.parse(url), Map.of(), Set.of()).open();
    }

    @Override
    public Following follow(Threads threads, Clock clock, Consumer<String> newFollower) {
      follower = newFollower;
      newFollower.accept(place);
      return () -> {};
    }

    /** Once the primary before has been asked. */
    void move() {
      await().atMost(PATIENCE).until(() -> before.requests() > requests);
      place = "after:2";
      follower.accept(place);
    }
  }

  @AfterEach
  void close() {
    before.close();
  }

  @Test
  void aClientThatConnectsAsksTheNewPrimary() {
    CompletableFuture<Void> moved = CompletableFuture.runAsync(moving::move);
    Connections connections = new Connections("the primary", moving);
    try (LockStore store =
        RedisStore.open(connections, new Keys(prefix()), new SystemClock(), new DeafListener())) {
      assertThat(store.traits().store()).isEqualTo("redis");
    }
    assertThat(moved).succeedsWithin(PATIENCE);
  }

  @Test
  void aRequestWithoutAnswerSaysWhereThePrimaryIsNow() {
    requireSays(new JedisWire(new Connections("the primary", moving), new SystemClock()));
  }

  @Test
  void aRequestOfAPipelineSaysTheSame() {
    requireSays(new PipelineWire(new Connections("the primary", moving), new SystemClock()));
  }

  private void requireSays(Wire wire) {
    try (wire) {
      CompletableFuture<Void> moved = CompletableFuture.runAsync(moving::move);
      assertThat(wire.send(List.of(Command.of(Name.PING)), WITHIN))
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .havingCause()
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.failure()).isEqualTo(StoreException.Failure.UNKNOWN_OUTCOME))
          .withMessageContaining("the primary did not answer: it is at after:2 now");
      assertThat(moved).succeedsWithin(PATIENCE);
      assertThat(wire.send(List.of(Command.of(Name.PING)), WITHIN)).succeedsWithin(PATIENCE);
    }
  }
}
