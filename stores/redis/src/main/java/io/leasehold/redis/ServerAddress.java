package io.leasehold.redis;

import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Login;
import java.net.Socket;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

/** Where a server is, and how to come in: a URL taken apart. */
final class ServerAddress {
  private static final Set<String> PARAMETERS = Set.of("prefix");

  private static final Form FORM = new Form(6379, false, "/database", Login.PASSWORD, "rediss");

  private static final int CONNECT_MILLIS = 2_000;

  private final HostAndPort where;
  private final JedisClientConfig how;

  private final @Nullable SSLSocketFactory tls;

  private ServerAddress(HostAndPort where, JedisClientConfig how, @Nullable SSLSocketFactory tls) {
    this.where = where;
    this.how = how;
    this.tls = tls;
  }

  /**
   * Reads a URL.
   *
   * @param environment where user and password are taken from if the URL has none
   * @throws IllegalArgumentException if it is malformed; the message has no secrets
   */
  static ServerAddress of(StoreUrl url, Map<String, String> environment) {
    ServerUrl server = ServerUrl.of(url, FORM, PARAMETERS, environment);
    if (!server.path().matches("\\d{0,5}")) {
      throw new IllegalArgumentException("the database of the store URL is not a number");
    }
    DefaultJedisClientConfig.Builder config =
        DefaultJedisClientConfig.builder()
            .protocol(RedisProtocol.RESP2)
            .connectionTimeoutMillis(CONNECT_MILLIS)
            .socketTimeoutMillis(CONNECT_MILLIS)
            .clientName("leasehold")
            .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
            .database(server.path().isEmpty() ? 0 : Integer.parseInt(server.path()));
    if (!server.password().isEmpty()) {
      config.user(server.user().isEmpty() ? null : server.user()).password(server.password());
    }
    return new ServerAddress(
        new HostAndPort(server.host().name(), server.host().port()),
        config.build(),
        server.tls().map(files -> files.context().getSocketFactory()).orElse(null));
  }

  Connections connections() {
    JedisSocketFactory sockets =
        tls == null
            ? new DefaultJedisSocketFactory(where, how)
            : new TlsSocketFactory(where, how, tls);
    return new Connections("Redis at " + where, () -> open(sockets));
  }

  private Link open(JedisSocketFactory sockets) {
    AtomicReference<@Nullable Socket> made = new AtomicReference<>();
    Connection connection =
        new Connection(
            () -> {
              Socket socket = sockets.createSocket();
              made.set(socket);
              return socket;
            },
            how);
    return new Link(connection, () -> Objects.requireNonNull(made.get()).close());
  }
}
