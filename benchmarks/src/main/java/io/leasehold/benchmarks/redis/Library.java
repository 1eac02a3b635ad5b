package io.leasehold.benchmarks.redis;

import io.leasehold.Leasehold;
import io.lettuce.core.RedisClient;
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

/** What is compared. Each as its users get it who set nothing, but for the ttl and what is said. */
enum Library {
  /** Through its public API only. */
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

  /** What can be had where there is only one process. */
  JDK(Lock.class);

  private final Class<?> of;

  Library(Class<?> of) {
    this.of = of;
  }

  /**
   * Connects.
   *
   * @param port of a server on the loopback
   * @param ttl of all locks
   */
  Client connect(int port, Duration ttl) {
    return switch (this) {
      case LEASEHOLD -> LeaseholdClient.connect(port, ttl);
      case REDISSON -> redisson(port, ttl);
      case SPRING -> spring(port, ttl);
      case JEDIS -> new BareJedis(port, ttl);
      case LETTUCE -> new BareLettuce(port, ttl);
      case JDK -> fairReentrantLocks();
    };
  }

  /** The file it was loaded from, which is named after its version; nothing for the JDK. */
  String jar() {
    return Optional.ofNullable(of.getProtectionDomain().getCodeSource())
        .map(source -> source.getLocation().getPath().replaceAll("/$", ""))
        .map(path -> path.substring(path.lastIndexOf('/') + 1))
        .orElse("");
  }

  private static Client redisson(int port, Duration ttl) {
    Config config = new Config().setLockWatchdogTimeout(ttl.toMillis());
    config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
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

  private static Client spring(int port, Duration ttl) {
    LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", port);
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
