package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockListener;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * Something happens to a client in the middle of what it does. With a ttl of ten minutes, the next
 * client is in within a second, with a higher token, and nothing is in doubt.
 */
abstract class LossTest extends ServerTest {
  private static final Duration SOON = Duration.ofSeconds(1);

  /** The server must notice that a connection has ended. */
  private static final Duration SESSION_OVER = Duration.ofSeconds(5);

  /** Ways to make it happen, and a client that it happens to. */
  interface Loss {
    /** A client whose requests are counted from now on. */
    Engine client(LockListener listener);

    /** It happens at this request, from 0 on. */
    void at(int request);

    /** Whether it has happened; it does not from now on. */
    boolean end();
  }

  /**
   * On MySQL those in which it differs from MariaDB: how a number comes back, and how a row that is
   * locked is passed over.
   */
  static Stream<Arguments> everyActOnEveryServer() {
    return Arrays.stream(Kind.values())
        .flatMap(
            kind ->
                Arrays.stream(Act.values())
                    .filter(
                        act ->
                            kind != Kind.MYSQL_9 || act == Act.FREE_PAIR || act == Act.FAIR_WAITER)
                    .map(act -> Arguments.of(kind, act)));
  }

  /** Does it again and again, and loses another request each time; yields how many there were. */
  final int loseEach(Kind kind, Act act, Loss loss) throws Exception {
    return loseEach(act, loss, client(SharedServers.of(kind)), SOON);
  }

  /** The same where the server's own locks exclude. */
  final int loseEachOfSessions(Kind kind, Act act, Loss loss) throws Exception {
    String url = SharedServers.of(kind).jdbcUrl() + "&mode=session";
    return loseEach(act, loss, clientAt(url, how -> how), SESSION_OVER);
  }

  private static int loseEach(Act act, Loss loss, Engine other, Duration soon) throws Exception {
    int points = 0;
    while (lose(act, loss, points, other, soon)) {
      points++;
    }
    assertThat(other.list()).as("who holds or waits").isEmpty();
    return points;
  }

  private static boolean lose(Act act, Loss loss, int index, Engine other, Duration within)
      throws Exception {
    String name = act + " " + index;
    AtomicLong highest = new AtomicLong();
    LockListener tokens =
        event -> {
          if (event instanceof LockEvent.Acquired acquired && acquired.name().equals(name)) {
            highest.accumulateAndGet(acquired.fencingToken(), Math::max);
          }
        };
    try (Engine client = loss.client(tokens)) {
      loss.at(index);
      try {
        act.by(client, other, name);
      } catch (StoreException | ExecutionException told) {
        assertThat(told.toString()).contains("StoreException").doesNotContain("secret");
      }
      boolean happened = loss.end();
      try (Lease soon = act.next(other, name).tryAcquire(within).orElseThrow()) {
        assertThat(soon.fencingToken()).isGreaterThan(highest.get());
      }
      requireNothingLeft(client);
      return happened;
    }
  }
}
