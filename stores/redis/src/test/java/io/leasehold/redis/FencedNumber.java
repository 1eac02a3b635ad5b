package io.leasehold.redis;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.RedisClient;

/**
 * Numbers on a server of their own, each with the highest fencing token of those who touched it:
 * lower ones are refused. What was written is logged. Thread-safe.
 */
final class FencedNumber implements AutoCloseable {
  private static final String REFUSE_LOWER =
      "local last = redis.call('HGET', KEYS[1], 'token') or '' if ARGV[1] < last then return -1 end ";

  /** Readers refuse writers who came before them, but no other readers. */
  private static final String LOOK =
      "local last = redis.call('HGET', KEYS[1], 'token') or ''"
          + " if ARGV[1] < (redis.call('HGET', KEYS[1], 'writer') or '') then return -1 end"
          + " if ARGV[1] > last then redis.call('HSET', KEYS[1], 'token', ARGV[1]) end"
          + " return tonumber(redis.call('HGET', KEYS[1], 'number') or 0)";

  private static final String READ_TO_WRITE =
      REFUSE_LOWER
          + "redis.call('HSET', KEYS[1], 'token', ARGV[1], 'writer', ARGV[1])"
          + " return tonumber(redis.call('HGET', KEYS[1], 'number') or 0)";

  private static final String WRITE =
      REFUSE_LOWER
          + "redis.call('HSET', KEYS[1], 'number', ARGV[2])"
          + " redis.call('RPUSH', KEYS[2], ARGV[1] .. ' ' .. ARGV[2]) return 1";

  private static final int LONGEST_NANOS = 5_000_000;

  private final RedisClient server;

  FencedNumber(String url) {
    server = RedisClient.create(url);
  }

  /** Looks twice. Whether the token was not refused, and no write came in between. */
  boolean look(String name, long token) {
    long first = run(LOOK, name, List.of(digits(token)));
    LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(LONGEST_NANOS));
    return first >= 0 && run(LOOK, name, List.of(digits(token))) == first;
  }

  /** Adds one, in two steps. Whether the token was not refused. */
  boolean add(String name, long token) {
    String digits = digits(token);
    long read = run(READ_TO_WRITE, name, List.of(digits));
    // So that what stops its process comes in between.
    LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(LONGEST_NANOS));
    return read >= 0 && run(WRITE, name, List.of(digits, Long.toString(read + 1))) >= 0;
  }

  private long run(String script, String name, List<String> arguments) {
    return (Long) server.eval(script, List.of(name, name + " log"), arguments);
  }

  /** As text they are ordered as numbers. */
  private static String digits(long token) {
    return String.format(Locale.ROOT, "%019d", token);
  }

  /** What was written: the token and the number. */
  List<String> log(String name) {
    return server.lrange(name + " log", 0, -1);
  }

  @Override
  public void close() {
    server.close();
  }
}
