package io.leasehold.redis;

import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.TlsFiles;
import java.net.Socket;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** How to come in at servers: each of several takes the same. Immutable. */
final class Access {
  private static final int CONNECT_MILLIS = 2_000;

  private final JedisClientConfig how;
  private final @Nullable SSLSocketFactory tls;

  /** Whether a server may refuse it for want of a certificate. */
  private final boolean anonymous;

  /**
   * Whether connections are those of channels, which {@link Link#share} takes; with TLS none is.
   */
  private final boolean shareable;

  private Access(JedisClientConfig how, Optional<TlsFiles> files) {
    this(
        how,
        files.map(each -> each.context().getSocketFactory()).orElse(null),
        files.isPresent() && files.get().cert().isEmpty(),
        false);
  }

  private Access(
      JedisClientConfig how, @Nullable SSLSocketFactory tls, boolean anonymous, boolean shareable) {
    this.how = how;
    this.tls = tls;
    this.anonymous = anonymous;
    this.shareable = shareable;
  }

  /** The same, by connections that can be shared. */
  Access shareable() {
    return new Access(how, tls, anonymous, tls == null);
  }

  /**
   * As a URL says.
   *
   * @param user empty for none
   * @param password empty for none
   */
  static Access of(ServerUrl url, String user, String password, int database) {
    DefaultJedisClientConfig.Builder config = config().database(database);
    if (!password.isEmpty()) {
      config.user(user.isEmpty() ? null : user).password(password);
    }
    return new Access(config.build(), url.tls());
  }

  /** As an application configures its own connections. */
  static Access of(JedisClientConfig how) {
    return new Access(how, Optional.empty());
  }

  /** What is the same for all, unless an application configures it. */
  static DefaultJedisClientConfig.Builder config() {
    return DefaultJedisClientConfig.builder()
        .protocol(RedisProtocol.RESP2)
        .connectionTimeoutMillis(CONNECT_MILLIS)
        .socketTimeoutMillis(CONNECT_MILLIS)
        .clientName("leasehold")
        .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
  }

  /** What connects there. It listens by a channel, which can wait in one system call. */
  Connections.Source to(HostAndPort where) {
    Access shareable = shareable();
    return new Connections.Source() {
      @Override
      public Link open() {
        return Access.this.open(where);
      }

      @Override
      public Link openToListen() {
        // Any other socket polls and then reads, since it was read with a limit for the login
        return shareable.open(where);
      }
    };
  }

  /** Connects and logs in. */
  Link open(HostAndPort where) {
    AtomicReference<@Nullable Socket> made = new AtomicReference<>();
    JedisSocketFactory sockets = sockets(where);
    try {
      Connection connection =
          new Connection(
              () -> {
                if (made.get() != null) {
                  // Jedis would connect again to write, and would not log in
                  throw new JedisConnectionException("the connection has ended");
                }
                Socket socket = sockets.createSocket();
                made.set(socket);
                return socket;
              },
              how);
      return Link.of(connection, Objects.requireNonNull(made.get()));
    } catch (JedisConnectionException e) {
      if (anonymous && made.get() != null) {
        // With TLS 1.3 a client may write before it hears that it is refused
        throw new JedisConnectionException(
            e.getMessage() + "; if the server wants a client's certificate, give cert and key", e);
      }
      throw e;
    }
  }

  private JedisSocketFactory sockets(HostAndPort where) {
    if (shareable) {
      return new ChannelSocketFactory(where, how);
    }
    return tls == null
        ? new DefaultJedisSocketFactory(where, how)
        : new TlsSocketFactory(where, how, tls);
  }
}
