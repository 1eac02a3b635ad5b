package io.leasehold.redis;

import io.leasehold.spi.support.Log;
import io.leasehold.spi.support.Threads;
import io.leasehold.spi.support.TimedJoin;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Asks a Sentinel of an application's Lettuce client, again and again, whether a primary has become
 * another one: Lettuce itself asks only when it connects, and a primary that was replaced keeps its
 * connections for many seconds.
 */
final class LettuceSentinel {
  private static final long PERIOD_NANOS = Duration.ofMillis(500).toNanos();

  private static final Duration ANSWER = Duration.ofSeconds(2);

  private final RedisClient client;
  private volatile StatefulRedisSentinelConnection<String, String> connection;
  private volatile boolean closed;

  /** The addresses of the primaries by their names, as they were told last. */
  private Map<String, String> last;

  private LettuceSentinel(
      RedisClient client,
      StatefulRedisSentinelConnection<String, String> connection,
      Map<String, String> first) {
    this.client = client;
    this.connection = connection;
    this.last = first;
  }

  /** Empty if the client's address is that of a server. */
  static Optional<LettuceSentinel> of(RedisClient client) {
    StatefulRedisSentinelConnection<String, String> connection = client.connectSentinel();
    try {
      return Optional.of(new LettuceSentinel(client, connection, primaries(connection)));
    } catch (ExecutionException | TimeoutException e) {
      LettuceWire.end(connection);
      if (e.getCause() instanceof RedisCommandExecutionException) {
        // A server does not know the command
        return Optional.empty();
      }
      throw new RedisConnectionException("the Sentinel did not answer", e);
    }
  }

  private static Map<String, String> primaries(
      StatefulRedisSentinelConnection<String, String> connection)
      throws ExecutionException, TimeoutException {
    return TimedJoin.of(connection.async().masters().toCompletableFuture(), ANSWER).stream()
        .collect(
            Collectors.toMap(
                each -> each.getOrDefault("name", ""),
                each -> each.getOrDefault("ip", "") + ":" + each.getOrDefault("port", "")));
  }

  /** Until it is closed. */
  void follow(Threads threads, Runnable moved) {
    threads.schedule(() -> threads.background(() -> ask(threads, moved)), PERIOD_NANOS);
  }

  private void ask(Threads threads, Runnable moved) {
    if (closed) {
      return;
    }
    try {
      Map<String, String> now = primaries(connection);
      if (!now.equals(last)) {
        last = now;
        moved.run();
      }
    } catch (ExecutionException | TimeoutException e) {
      Log.debug("a Sentinel did not say where the primary is", e);
      connectToAnother();
    } finally {
      follow(threads, moved);
    }
  }

  private void connectToAnother() {
    LettuceWire.end(connection);
    try {
      connection = client.connectSentinel();
    } catch (RedisException e) {
      Log.debug("no Sentinel can be reached", e);
    }
    if (closed) {
      LettuceWire.end(connection);
    }
  }

  void close() {
    closed = true;
    LettuceWire.end(connection);
  }
}
