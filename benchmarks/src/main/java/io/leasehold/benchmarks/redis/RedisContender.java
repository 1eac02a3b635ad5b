package io.leasehold.benchmarks.redis;

import io.leasehold.benchmarks.runner.Contender;

/** On Redis. */
enum RedisContender implements Contender {
  /** The default. */
  LEASEHOLD(RedisLibrary.LEASEHOLD, "Leasehold"),
  /** First come, first served across processes. */
  LEASEHOLD_FAIR(RedisLibrary.LEASEHOLD, "Leasehold fair"),
  /** Redisson's {@code RLock}. */
  REDISSON(RedisLibrary.REDISSON, "RLock"),
  /** Redisson's other, first come, first served. */
  REDISSON_FAIR(RedisLibrary.REDISSON, "FairLock"),
  /** Spring Integration's {@code RedisLockRegistry}. */
  SPRING(RedisLibrary.SPRING, "Spring"),
  /** {@code SET NX PX} and a script. */
  JEDIS(RedisLibrary.JEDIS, "bare Jedis"),
  /** The same. */
  LETTUCE(RedisLibrary.LETTUCE, "bare Lettuce"),
  /** {@code BLPOP} and {@code RPUSH}. */
  LIST(RedisLibrary.LIST, "bare BLPOP"),
  /** A script that publishes, and a thread that listens. */
  MESSAGE(RedisLibrary.MESSAGE, "bare message"),
  /** The same, with a number and a ttl. */
  NUMBERED(RedisLibrary.NUMBERED, "message, number"),
  /** The JDK's, fair, in one process. */
  REENTRANT_LOCK(RedisLibrary.JDK, "ReentrantLock");

  private final RedisLibrary library;
  private final String title;

  RedisContender(RedisLibrary library, String title) {
    this.library = library;
    this.title = title;
  }

  @Override
  public RedisLibrary library() {
    return library;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public boolean isFair() {
    return this == LEASEHOLD_FAIR || this == REDISSON_FAIR;
  }
}
