package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisCredentials;

/**
 * What a Lettuce client of a cluster knows, in the words of Jedis: its nodes, its user and
 * password, and its TLS. Its own connections follow redirections and repeat commands, which a lock
 * must not.
 */
final class LettuceCluster {
  private static final Duration CREDENTIALS = Duration.ofSeconds(2);

  private LettuceCluster() {}

  /**
   * Where the client's cluster is.
   *
   * @param uri with its user and password, and whether it has TLS: the client does not tell
   * @throws StoreException if the client cannot find out, or its TLS settings cannot be used
   */
  static RedisAddress address(RedisClusterClient client, RedisURI uri) {
    DefaultJedisClientConfig.Builder config =
        Access.config().credentialsProvider(() -> credentials(uri));
    if (uri.isSsl()) {
      secure(config, uri, client.getOptions().getSslOptions());
    }
    return RedisAddress.ofCluster(nodes(client), config.build());
  }

  private static Set<HostAndPort> nodes(RedisClusterClient client) {
    try {
      return client.getPartitions().stream()
          .map(RedisClusterNode::getUri)
          .map(node -> new HostAndPort(node.getHost(), node.getPort()))
          .collect(Collectors.toSet());
    } catch (RedisException e) {
      throw LettuceWire.cannotConnect(e);
    }
  }

  private static RedisCredentials credentials(RedisURI uri) {
    io.lettuce.core.RedisCredentials given =
        uri.getCredentialsProvider().resolveCredentials().block(CREDENTIALS);
    return given == null
        ? new DefaultRedisCredentials(null, (CharSequence) null)
        : new DefaultRedisCredentials(given.getUsername(), given.getPassword());
  }

  /** In the way that the oldest versions of Jedis have too. */
  @SuppressWarnings("deprecation")
  private static void secure(
      DefaultJedisClientConfig.Builder config, RedisURI uri, SslOptions options) {
    config
        .ssl(true)
        .sslSocketFactory(context(options, uri).getSocketFactory())
        .sslParameters(parameters(options, uri));
  }

  private static SSLContext context(SslOptions options, RedisURI uri) {
    try {
      SslContextBuilder builder = options.createSslContextBuilder().sslProvider(SslProvider.JDK);
      if (uri.getVerifyMode() == SslVerifyMode.NONE) {
        builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
      }
      return ((JdkSslContext) builder.build()).context();
    } catch (IOException | GeneralSecurityException e) {
      throw new StoreException(
          Failure.REFUSED, "the TLS settings of the Lettuce client are of no use: " + e, e);
    }
  }

  private static SSLParameters parameters(SslOptions options, RedisURI uri) {
    SSLParameters parameters = options.createSSLParameters();
    if (uri.getVerifyMode() == SslVerifyMode.FULL) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
    }
    return parameters;
  }
}
