package io.leasehold.peers;

import io.leasehold.LockOptions;
import io.leasehold.testkit.contract.Ability;
import io.leasehold.testkit.contract.ClientSettings;
import java.time.Duration;
import java.util.Set;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration on Redis, by Lettuce. The ttl is that of its registry, renewed by a scheduler;
 * it waits by its default, a try each 100 ms.
 */
final class SpringRedisFixture extends PeerFixture {
  SpringRedisFixture() {
    super(Server::redis, Set.of(Ability.WAIT), SpringMutex.EXCLUDED);
  }

  @Override
  PeerClient connect(Wire wire, ClientSettings settings) {
    LettuceConnectionFactory connections =
        new LettuceConnectionFactory(
            new RedisStandaloneConfiguration("127.0.0.1", wire.port()),
            LettuceClientConfiguration.builder()
                .commandTimeout(settings.requestTimeout())
                .shutdownQuietPeriod(Duration.ZERO)
                .build());
    connections.afterPropertiesSet();
    connections.start();
    RedisLockRegistry registry =
        new RedisLockRegistry(
            connections, "locks", settings.ttl().orElse(Duration.ofMinutes(1)).toMillis());
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.initialize();
    registry.setRenewalTaskScheduler(scheduler);
    return new Client(wire, connections, registry, scheduler);
  }

  private static final class Client extends PeerClient {
    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;
    private final ThreadPoolTaskScheduler scheduler;

    Client(
        Wire wire,
        LettuceConnectionFactory connections,
        RedisLockRegistry registry,
        ThreadPoolTaskScheduler scheduler) {
      super(wire);
      this.connections = connections;
      this.registry = registry;
      this.scheduler = scheduler;
    }

    @Override
    Mutex mutex(String name, LockOptions options) {
      if (options.renewal() == LockOptions.Renewal.NONE) {
        throw new UnsupportedOperationException("renewal is for all locks of a registry");
      }
      return new SpringMutex(registry.obtain(name), options);
    }

    @Override
    void shutdown() {
      registry.destroy();
      scheduler.destroy();
      connections.destroy();
    }
  }
}
