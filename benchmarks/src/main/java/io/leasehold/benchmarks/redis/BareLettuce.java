package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Mutex;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/** The least that a lock can cost with Lettuce: one connection for all threads, and no waiting. */
final class BareLettuce implements Client {
  private final RedisCommands<String, String> redis;
  private final SetArgs ifAbsent;
  private final String release;

  BareLettuce(String url, Duration ttl) {
    redis = RedisClient.create(url).connect().sync();
    ifAbsent = SetArgs.Builder.nx().px(ttl);
    release = redis.scriptLoad(Floor.RELEASE);
  }

  @Override
  public Mutex mutex(String name) {
    return new Floor() {
      @Override
      protected boolean take(String value) {
        return redis.set(name, value, ifAbsent) != null;
      }

      @Override
      protected boolean release(String value) {
        Long released =
            redis.evalsha(release, ScriptOutputType.INTEGER, new String[] {name}, value);
        return released == 1;
      }
    };
  }
}
