package io.leasehold.spring.autoconfigure;

import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.redis.LettuceStores;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import java.time.Duration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Locks as keys of the application's Redis server. The application's client may keep the commands
 * of a broken connection and send them later, which a lock must not: so the store has another
 * client, with the same address, options, event loops and security, that rejects them.
 */
final class LettuceFactoryStores extends StoreBeans<LettuceConnectionFactory> {
  LettuceFactoryStores() {
    super(LettuceConnectionFactory.class);
  }

  @Override
  String what() {
    return "a LettuceConnectionFactory";
  }

  @Override
  String limits() {
    return "there is not exactly one LettuceConnectionFactory to a single Redis server by TCP (not a"
        + " cluster, not Sentinel, not replicas)";
  }

  @Override
  boolean serves(LettuceConnectionFactory factory) {
    // Only for a single server does its client know an address
    return !factory.isClusterAware()
        && !factory.isRedisSentinelAware()
        && factory.getSocketConfiguration() == null
        && factory.getClientConfiguration().getReadFrom().isEmpty()
        && factory.getRequiredNativeClient() instanceof RedisClient;
  }

  @Override
  OpenableStore in(LettuceConnectionFactory factory, LeaseholdProperties settings) {
    RedisClient ours = client(factory);
    return new OpenableStore(
        Leasehold.builder(
            settings.prefix() == null
                ? LettuceStores.using(ours)
                : LettuceStores.using(ours, settings.prefix())),
        () -> end(ours));
  }

  /** The other client, which is to be ended. */
  static RedisClient client(LettuceConnectionFactory factory) {
    RedisClient theirs = (RedisClient) factory.getRequiredNativeClient();
    requireAddress(theirs);
    RedisClient ours = RedisClient.create(theirs.getResources(), uri(factory));
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

  private static RedisURI uri(LettuceConnectionFactory factory) {
    RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
    RedisURI uri =
        RedisURI.builder()
            .withHost(factory.getHostName())
            .withPort(factory.getPort())
            .withDatabase(factory.getDatabase())
            .withTimeout(factory.getClientConfiguration().getCommandTimeout())
            .withSsl(factory.getClientConfiguration().isUseSsl())
            .withVerifyPeer(factory.getClientConfiguration().getVerifyMode())
            .withStartTls(factory.getClientConfiguration().isStartTls())
            .build();
    uri.setCredentialsProvider(
        factory
            .getClientConfiguration()
            .getRedisCredentialsProviderFactory()
            .map(credentials -> credentials.createCredentialsProvider(server))
            .orElseGet(
                () ->
                    new StaticCredentialsProvider(
                        server.getUsername(), server.getPassword().toOptional().orElse(null))));
    return uri;
  }
}
