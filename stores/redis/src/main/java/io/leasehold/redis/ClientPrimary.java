package io.leasehold.redis;

import io.leasehold.redis.Connections.Following;
import io.leasehold.spi.support.Clock;
import io.leasehold.spi.support.Threads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

/**
 * The primary that a client of the application follows by itself: it listens to its Sentinels, and
 * has another pool as soon as one of them told of another primary. Thread-safe.
 */
final class ClientPrimary implements Connections.Source {
  /** To look costs no request. */
  private static final long PERIOD_NANOS = Duration.ofMillis(100).toNanos();

  private final Supplier<Pool<Connection>> pool;

  private final AtomicReference<Place> last;

  /**
   * Where a pool leads to. Not by the client's word on its primary, which for a moment is not that
   * of its pool.
   */
  private record Place(Pool<Connection> pool, int number) {
    String name() {
      return "" + number;
    }
  }

  /**
   * Of a client.
   *
   * @param pool that of the client now
   */
  ClientPrimary(Supplier<Pool<Connection>> pool) {
    this.pool = pool;
    this.last = new AtomicReference<>(new Place(pool.get(), 1));
  }

  @Override
  public boolean isOneServer() {
    return false;
  }

  private Place now() {
    return last.updateAndGet(
        before -> {
          Pool<Connection> current = pool.get();
          return current.equals(before.pool()) ? before : new Place(current, before.number() + 1);
        });
  }

  @Override
  public Link open() {
    Place now = now();
    Link made = Link.of(now.pool().getFactory());
    return Primary.require(made, "Redis", "the application's client takes for the primary")
        .leadingTo(now.name());
  }

  @Override
  public Following follow(Threads threads, Clock clock, Consumer<String> place) {
    AtomicBoolean ended = new AtomicBoolean();
    Place first = now();
    place.accept(first.name());
    look(threads, first, place, ended);
    return () -> ended.set(true);
  }

  private void look(Threads threads, Place before, Consumer<String> place, AtomicBoolean ended) {
    if (ended.get()) {
      return;
    }
    Place now = now();
    if (!now.equals(before)) {
      threads.background(() -> place.accept(now.name()));
    }
    threads.schedule(() -> look(threads, now, place, ended), PERIOD_NANOS);
  }
}
