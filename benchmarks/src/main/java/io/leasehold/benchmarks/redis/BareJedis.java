package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** The least that a lock can cost with Jedis: a connection for each thread, and no waiting. */
final class BareJedis implements Client {
  private final ThreadLocal<Jedis> connection;
  private final SetParams ifAbsent;
  private final String release;

  BareJedis(String url, Duration ttl) {
    connection = ThreadLocal.withInitial(() -> new Jedis(URI.create(url)));
    ifAbsent = SetParams.setParams().nx().px(ttl.toMillis());
    release = connection.get().scriptLoad(Floor.RELEASE);
  }

  @Override
  public Mutex mutex(String name) {
    return new Floor() {
      @Override
      protected boolean take(String value) {
        return connection.get().set(name, value, ifAbsent) != null;
      }

      @Override
      protected boolean release(String value) {
        return connection.get().evalsha(release, List.of(name), List.of(value)).equals(1L);
      }
    };
  }
}
