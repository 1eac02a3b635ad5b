package io.leasehold.benchmarks.redis;

import io.leasehold.Leasehold;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.LeaseholdClient;
import io.leasehold.benchmarks.runner.Library;
import io.leasehold.benchmarks.runner.Mutex;
import io.lettuce.core.RedisClient;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import redis.clients.jedis.Jedis;

/** What is compared on Redis. */
enum RedisLibrary implements Library {
  /** Itself. */
  LEASEHOLD(Leasehold.class),

  /** Its default of 64 connections is as many as there are threads. */
  REDISSON(Redisson.class),

  /**
   * With the lock type that waits for a message; the default polls ten times a second. Where locks
   * are held for long, with a scheduler, without which it renews nothing.
   */
  SPRING(RedisLockRegistry.class),

  /** No library. */
  JEDIS(Jedis.class),

  /** No library. */
  LETTUCE(RedisClient.class),

  /** No library, and hardly a lock. */
  LIST(Jedis.class),

  /** The same. */
  MESSAGE(Jedis.class),

  /** The same, with what a lock must write. */
  NUMBERED(Jedis.class),

  /** What can be had where there is only one process. */
  JDK(Lock.class);

  private final Class<?> type;

  RedisLibrary(Class<?> type) {
    this.type = type;
  }

  @Override
  public Class<?> type() {
    return type;
  }

  @Override
  public boolean isOurs() {
    return this == LEASEHOLD;
  }

  @Override
  public Client connect(String url, Duration ttl) {
    return switch (this) {
      case LEASEHOLD -> LeaseholdClient.connect(url, ttl);
      case REDISSON -> redisson(url, ttl);
      case SPRING -> spring(url, ttl);
      case JEDIS -> new BareJedis(url, ttl);
      case LETTUCE -> new BareLettuce(url, ttl);
      case LIST -> new BareList(url);
      case MESSAGE -> new BareMessage(url, false);
      case NUMBERED -> new BareMessage(url, true);
      case JDK -> fairReentrantLocks();
    };
  }

  private static Client redisson(String url, Duration ttl) {
    Config config = new Config().setLockWatchdogTimeout(ttl.toMillis());
    config.useSingleServer().setAddress(url);
    RedissonClient redisson = Redisson.create(config);
    return new Client() {
      @Override
      public Mutex mutex(String name) {
        return Mutex.of(redisson.getLock(name));
      }

      @Override
      public Mutex fair(String name) {
        return Mutex.of(redisson.getFairLock(name));
      }

      @Override
      public Object keep(String name) {
        RLock lock = redisson.getLock(name);
        lock.lock();
        return lock;
      }

      @Override
      public Held hold(String name) {
        RLock lock = redisson.getLock(name);
        lock.lock();
        return new Held(Optional.of(lock::isHeldByCurrentThread), lock::unlock);
      }
    };
  }

  private static Client spring(String url, Duration ttl) {
    URI server = URI.create(url);
    LettuceConnectionFactory connections =
        new LettuceConnectionFactory(server.getHost(), server.getPort());
    connections.afterPropertiesSet();
    connections.start();
    RedisLockRegistry registry = new RedisLockRegistry(connections, "locks", ttl);
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.initialize();
    registry.setRedisLockType(RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);
    return new Client() {
      @Override
      public Mutex mutex(String name) {
        return Mutex.of(registry.obtain(name));
      }

      @Override
      public Object keep(String name) {
        registry.setRenewalTaskScheduler(scheduler);
        Lock lock = registry.obtain(name);
        lock.lock();
        return lock;
      }

      @Override
      public Held hold(String name) {
        Mutex mutex = mutex(name);
        mutex.lock();
        return new Held(Optional.empty(), mutex::unlock);
      }
    };
  }

  private static Client fairReentrantLocks() {
    Map<String, Lock> locks = new ConcurrentHashMap<>();
    return name -> Mutex.of(locks.computeIfAbsent(name, key -> new ReentrantLock(true)));
  }
}
