package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.net.URI;
import java.util.List;
import redis.clients.jedis.Jedis;

/**
 * The least that a hand-over can cost: a list of one element, which is pushed to let the lock go
 * and popped, waiting, to take it. The server hands it to who has waited for longest, whose own
 * thread reads it. It has no ttl and no token, and who dies with it keeps it for ever.
 */
final class BareList implements Client {
  private static final String BEGIN =
      "if redis.call('set', KEYS[2], 1, 'NX') then redis.call('rpush', KEYS[1], 1) end";

  private final ThreadLocal<Jedis> connection;

  BareList(String url) {
    connection = ThreadLocal.withInitial(() -> new Jedis(URI.create(url), 0));
  }

  @Override
  public Mutex mutex(String name) {
    connection.get().eval(BEGIN, List.of(name, name + ":begun"), List.of());
    return new Mutex() {
      @Override
      public void lock() {
        connection.get().blpop(0, name);
      }

      @Override
      public void unlock() {
        connection.get().rpush(name, "1");
      }
    };
  }
}
