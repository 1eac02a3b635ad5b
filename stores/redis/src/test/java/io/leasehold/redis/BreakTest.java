package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.LockMode;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.LockStore;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.testkit.DeafListener;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An operator that breaks a lease that is not there changes nothing for those who wait. */
@Timeout(60)
class BreakTest extends ServerTest {
  private static final Duration WITHIN = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofMinutes(10);

  BreakTest() {
    super(RedisServer.of(Kind.VALKEY_9));
  }

  @Test
  void r20AVainBreakKeepsTheOrderOfThoseWhoWait() {
    StoreUrl url = StoreUrl.parse(server.url() + "?prefix=" + prefix());
    Connections connections = ServerAddress.of(url, Map.of(), Set.of());
    SystemClock clock = new SystemClock();
    try (LockStore store =
        RedisStore.open(connections, new Keys(prefix()), clock, new DeafListener())) {
      Ticket first = ticket(2, LONG);
      Ticket second = ticket(3, LONG);
      attempt(store, ticket(1, Duration.ofMillis(100)));
      attempt(store, first);
      attempt(store, second);
      StoreOperator operator = store.operator().orElseThrow();
      // Looking changes nothing: what has expired is still there for the break to find.
      await()
          .until(() -> answer(operator.list(Optional.of("n"), WITHIN)).get(0).holders().isEmpty());

      assertThat(answer(operator.breakLease("n", 1, WITHIN))).isFalse();

      assertThat(attempt(store, second)).isInstanceOf(Attempt.Queued.class);
      assertThat(attempt(store, first)).isInstanceOf(Attempt.Granted.class);
    }
  }

  private static Ticket ticket(long sequence, Duration ttl) {
    return new Ticket(
        "n",
        new LeaseId(7, sequence),
        LockMode.EXCLUSIVE,
        1,
        1,
        ttl,
        Ticket.Intent.QUEUE,
        true,
        "test");
  }

  private static Attempt attempt(LockStore store, Ticket ticket) {
    return answer(store.attempt(ticket, WITHIN));
  }

  private static <T> T answer(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
