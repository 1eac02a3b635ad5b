package io.leasehold.benchmarks.quorum;

import io.leasehold.Leasehold;
import io.leasehold.Quorum;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.LeaseholdClient;
import io.leasehold.benchmarks.runner.Library;
import io.leasehold.benchmarks.runner.Mutex;
import io.leasehold.redis.LettuceStores;
import io.leasehold.spi.StoreFactory;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** What is compared over three Redis servers. */
@SuppressWarnings("deprecation") // Redisson has no other red lock
enum QuorumLibrary implements Library {
  /** A majority of the servers, with Jedis, which a URL opens. */
  QUORUM(Leasehold.class),
  /** The first server only. */
  SINGLE(Leasehold.class),
  /** As {@link #QUORUM}, with Lettuce. */
  QUORUM_LETTUCE(Leasehold.class),
  /** As {@link #SINGLE}. */
  SINGLE_LETTUCE(Leasehold.class),
  /** Its red lock, over all. */
  REDISSON(Redisson.class),
  /** A majority, without a library: what the servers and the system take. */
  SOCKETS(Selector.class),
  /** As {@link #SOCKETS}, over the first server only. */
  SOCKET(Selector.class);

  private final Class<?> type;

  QuorumLibrary(Class<?> type) {
    this.type = type;
  }

  @Override
  public Class<?> type() {
    return type;
  }

  @Override
  public boolean isOurs() {
    return type == Leasehold.class;
  }

  @Override
  public Client connect(String url, Duration ttl) {
    String[] members = url.split(",");
    return switch (this) {
      case QUORUM -> LeaseholdClient.connect("quorum:" + url + "?accept=unfenced", ttl);
      case SINGLE -> LeaseholdClient.connect(members[0], ttl);
      case QUORUM_LETTUCE -> lettuce(Quorum.of(withOneThread(members)), ttl);
      case SINGLE_LETTUCE -> lettuce(store(RedisClient.create(members[0])), ttl);
      case REDISSON -> redisson(members, ttl);
      case SOCKETS -> new BareSockets(ttl, members);
      case SOCKET -> new BareSockets(ttl, members[0]);
    };
  }

  /** One thread sends to all members and reads from them, instead of one for each. */
  private static StoreFactory[] withOneThread(String... members) {
    ClientResources resources = ClientResources.builder().ioThreadPoolSize(1).build();
    return Stream.of(members)
        .map(member -> store(RedisClient.create(resources, member)))
        .toArray(StoreFactory[]::new);
  }

  private static StoreFactory store(RedisClient client) {
    client.setOptions(
        ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
    return LettuceStores.using(client);
  }

  private static Client lettuce(StoreFactory store, Duration ttl) {
    return new LeaseholdClient(Leasehold.builder(store).ttl(ttl).acceptUnfenced().build());
  }

  private static Client redisson(String[] members, Duration ttl) {
    List<RedissonClient> clients =
        Stream.of(members)
            .map(
                member -> {
                  Config config = new Config().setLockWatchdogTimeout(ttl.toMillis());
                  config.useSingleServer().setAddress(member);
                  return Redisson.create(config);
                })
            .toList();
    return name ->
        Mutex.of(
            new org.redisson.RedissonRedLock(
                clients.stream().map(each -> each.getLock(name)).toArray(RLock[]::new)));
  }
}
