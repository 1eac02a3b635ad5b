package io.leasehold.spring.autoconfigure;

import static java.util.Objects.requireNonNull;

import io.leasehold.Leasehold;
import io.leasehold.redis.RedisAddress;
import io.leasehold.redis.RedisStores;
import io.leasehold.spi.StoreFactory;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/**
 * Locks as keys of the application's Redis: over connections of their own, that are configured as
 * the connection factory configures its connections.
 */
final class JedisFactoryStores extends StoreBeans<JedisConnectionFactory> {
  JedisFactoryStores() {
    super(JedisConnectionFactory.class);
  }

  @Override
  String what() {
    return "a JedisConnectionFactory";
  }

  @Override
  String limits() {
    return "there is not exactly one JedisConnectionFactory";
  }

  @Override
  OpenableStore in(JedisConnectionFactory factory, LeaseholdProperties settings) {
    RedisAddress address = address(factory);
    StoreFactory store =
        settings.prefix() == null
            ? RedisStores.at(address)
            : RedisStores.at(address, settings.prefix());
    return new OpenableStore(Leasehold.builder(store));
  }

  /** Where the factory connects to. */
  static RedisAddress address(JedisConnectionFactory factory) {
    JedisClientConfiguration client = factory.getClientConfiguration();
    RedisClusterConfiguration cluster = factory.getClusterConfiguration();
    if (cluster != null) {
      return RedisAddress.ofCluster(
          places(cluster.getClusterNodes()),
          config(client, 0, cluster.getUsername(), cluster.getPassword()));
    }
    RedisSentinelConfiguration sentinels = factory.getSentinelConfiguration();
    if (sentinels != null) {
      return RedisAddress.ofSentinels(
          requireNonNull(requireNonNull(sentinels.getMaster()).getName()),
          config(client, sentinels.getDatabase(), sentinels.getUsername(), sentinels.getPassword()),
          places(sentinels.getSentinels()),
          config(client, 0, sentinels.getSentinelUsername(), sentinels.getSentinelPassword()));
    }
    RedisStandaloneConfiguration server = requireNonNull(factory.getStandaloneConfiguration());
    return RedisAddress.of(
        new HostAndPort(server.getHostName(), server.getPort()),
        config(client, server.getDatabase(), server.getUsername(), server.getPassword()));
  }

  private static Set<HostAndPort> places(Collection<RedisNode> nodes) {
    return nodes.stream()
        .map(node -> new HostAndPort(node.getHost(), requireNonNull(node.getPort())))
        .collect(Collectors.toSet());
  }

  /** As the factory does it. */
  private static JedisClientConfig config(
      JedisClientConfiguration client,
      int database,
      @Nullable String user,
      RedisPassword password) {
    DefaultJedisClientConfig.Builder config =
        DefaultJedisClientConfig.builder()
            .connectionTimeoutMillis(Math.toIntExact(client.getConnectTimeout().toMillis()))
            .socketTimeoutMillis(Math.toIntExact(client.getReadTimeout().toMillis()))
            .database(database);
    client.getClientName().ifPresent(config::clientName);
    if (user != null && !user.isEmpty()) {
      config.user(user);
    }
    password.toOptional().map(String::new).ifPresent(config::password);
    if (client.isUseSsl()) {
      config.ssl(true);
      client.getSslSocketFactory().ifPresent(config::sslSocketFactory);
      client.getHostnameVerifier().ifPresent(config::hostnameVerifier);
      client.getSslParameters().ifPresent(config::sslParameters);
    }
    client.getCustomizer().ifPresent(customizer -> customizer.customize(config));
    return config.build();
  }
}
