package io.leasehold.benchmarks.redis;

/** A kind of lock of a library: a column of the table. */
enum Contender {
  /** The default. */
  LEASEHOLD(Library.LEASEHOLD, "Leasehold"),
  /** First come, first served across processes. */
  LEASEHOLD_FAIR(Library.LEASEHOLD, "Leasehold fair"),
  /** Redisson's {@code RLock}. */
  REDISSON(Library.REDISSON, "RLock"),
  /** Redisson's other, first come, first served. */
  REDISSON_FAIR(Library.REDISSON, "FairLock"),
  /** Spring Integration's {@code RedisLockRegistry}. */
  SPRING(Library.SPRING, "Spring"),
  /** {@code SET NX PX} and a script. */
  JEDIS(Library.JEDIS, "bare Jedis"),
  /** The same. */
  LETTUCE(Library.LETTUCE, "bare Lettuce"),
  /** The JDK's, fair, in one process. */
  REENTRANT_LOCK(Library.JDK, "ReentrantLock");

  private final Library library;
  private final String title;

  Contender(Library library, String title) {
    this.library = library;
    this.title = title;
  }

  /** Whose processes run it. */
  Library library() {
    return library;
  }

  /** What the table calls it. */
  String title() {
    return title;
  }

  /** A lock of this kind. */
  Mutex mutex(Client client, String name) {
    return this == LEASEHOLD_FAIR || this == REDISSON_FAIR ? client.fair(name) : client.mutex(name);
  }
}
