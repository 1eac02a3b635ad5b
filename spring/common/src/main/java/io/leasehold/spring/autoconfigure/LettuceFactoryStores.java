package io.leasehold.spring.autoconfigure;

import static java.util.Objects.requireNonNull;

import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.redis.LettuceStores;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;

/**
 * Locks as keys of the application's Redis. The application's client may keep the commands of a
 * broken connection and send them later, which a lock must not: so the store has another client,
 * with the same addresses, options, event loops and security, that rejects them. In a cluster it
 * has connections of Jedis.
 */
final class LettuceFactoryStores extends StoreBeans<LettuceConnectionFactory> {
  private static final String PREFIX = "leasehold:";

  LettuceFactoryStores() {
    super(LettuceConnectionFactory.class);
  }

  @Override
  String what() {
    return "a LettuceConnectionFactory";
  }

  @Override
  String limits() {
    return "there is not exactly one LettuceConnectionFactory to a server by TCP, to Sentinels or to"
        + " a cluster (not to replicas)";
  }

  @Override
  boolean serves(LettuceConnectionFactory factory) {
    return factory.isClusterAware() || factory.isRedisSentinelAware() || isOfOneServer(factory);
  }

  /** Of replicas its client knows no address. */
  private static boolean isOfOneServer(LettuceConnectionFactory factory) {
    return factory.getSocketConfiguration() == null
        && factory.getClientConfiguration().getReadFrom().isEmpty()
        && factory.getRequiredNativeClient() instanceof RedisClient;
  }

  @Override
  OpenableStore in(LettuceConnectionFactory factory, LeaseholdProperties settings) {
    String prefix = settings.prefix() == null ? PREFIX : settings.prefix();
    if (factory.isClusterAware()) {
      RedisClusterClient theirs = (RedisClusterClient) factory.getRequiredNativeClient();
      return new OpenableStore(
          Leasehold.builder(LettuceStores.using(theirs, ofCluster(factory), prefix)));
    }
    RedisClient ours = client(factory);
    return new OpenableStore(Leasehold.builder(LettuceStores.using(ours, prefix)), () -> end(ours));
  }

  /** The other client, which is to be ended; not of a cluster. */
  static RedisClient client(LettuceConnectionFactory factory) {
    RedisClient theirs = (RedisClient) factory.getRequiredNativeClient();
    requireAddress(theirs);
    RedisURI uri = factory.isRedisSentinelAware() ? ofSentinels(factory) : ofOneServer(factory);
    RedisClient ours = RedisClient.create(theirs.getResources(), uri);
    ClientOptions options = theirs.getOptions();
    ours.setOptions(
        options
            .mutate()
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .autoReconnect(true)
            .build());
    return ours;
  }

  /** The event loops are the application's: nothing to wait for. */
  static void end(RedisClient ours) {
    ours.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  /** For replicas the application's client has no address, and the factory says localhost. */
  private static void requireAddress(RedisClient theirs) {
    try {
      theirs.connect().close();
    } catch (IllegalStateException e) {
      throw new LeaseholdSettingsException(
          "the LettuceConnectionFactory is not to a single Redis server: " + e.getMessage(),
          StoreChoice.WRITE_URL);
    } catch (RedisException e) {
      throw new StoreException(
          StoreException.Failure.UNAVAILABLE, "Redis cannot be reached: " + e.getMessage(), e);
    }
  }

  private static RedisURI ofOneServer(LettuceConnectionFactory factory) {
    RedisURI uri = RedisURI.create(factory.getHostName(), factory.getPort());
    uri.setDatabase(factory.getDatabase());
    secure(uri, factory);
    logIn(uri, factory, factory.getStandaloneConfiguration());
    return uri;
  }

  private static RedisURI ofSentinels(LettuceConnectionFactory factory) {
    RedisSentinelConfiguration all = requireNonNull(factory.getSentinelConfiguration());
    RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(all);
    uri.setDatabase(factory.getDatabase());
    secure(uri, factory);
    uri.getSentinels().forEach(each -> secure(each, factory));
    factory
        .getClientConfiguration()
        .getRedisCredentialsProviderFactory()
        .ifPresent(
            credentials -> {
              uri.setCredentialsProvider(credentials.createCredentialsProvider(all));
              RedisCredentialsProvider login = credentials.createSentinelCredentialsProvider(all);
              uri.getSentinels().forEach(each -> each.setCredentialsProvider(login));
            });
    return uri;
  }

  /** Any of its nodes. */
  private static RedisURI ofCluster(LettuceConnectionFactory factory) {
    RedisClusterConfiguration cluster = requireNonNull(factory.getClusterConfiguration());
    RedisNode node = cluster.getClusterNodes().iterator().next();
    RedisURI uri = RedisURI.create(requireNonNull(node.getHost()), requireNonNull(node.getPort()));
    secure(uri, factory);
    logIn(uri, factory, cluster);
    return uri;
  }

  private static void secure(RedisURI uri, LettuceConnectionFactory factory) {
    LettuceClientConfiguration client = factory.getClientConfiguration();
    uri.setTimeout(client.getCommandTimeout());
    uri.setSsl(client.isUseSsl());
    uri.setVerifyPeer(client.getVerifyMode());
    uri.setStartTls(client.isStartTls());
  }

  private static void logIn(
      RedisURI uri,
      LettuceConnectionFactory factory,
      RedisConfiguration.WithAuthentication server) {
    uri.setCredentialsProvider(
        factory
            .getClientConfiguration()
            .getRedisCredentialsProviderFactory()
            .map(credentials -> credentials.createCredentialsProvider((RedisConfiguration) server))
            .orElseGet(
                () ->
                    new StaticCredentialsProvider(
                        server.getUsername(), server.getPassword().toOptional().orElse(null))));
  }
}
