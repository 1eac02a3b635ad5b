package io.leasehold.redis;

import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.Login;
import io.leasehold.spi.support.TlsFiles;
import java.net.Socket;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  static final Set<String> PARAMETERS = Set.of("prefix", "ca", "cert", "key");

  private static final int CONNECT_MILLIS = 2_000;

  /** //user:password@host:port/database, of which only the host must be there. */
  private static final Pattern REST =
      Pattern.compile(
          "//(?:(?<user>[^@:/]*)(?::(?<password>[^@/]*))?@)?"
              + "(?<host>\\[[0-9A-Fa-f:.]+]|[^@:/\\[\\]]+)(?::(?<port>\\d{1,5}))?(?:/(?<db>\\d{0,5}))?");

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
    refuseSplitPassword(url);
    Matcher rest = REST.matcher(url.rest());
    int port = rest.matches() ? number(rest, "port", 6379) : -1;
    if (port < 1 || port > 65_535) {
      throw malformed(url);
    }
    DefaultJedisClientConfig.Builder config =
        DefaultJedisClientConfig.builder()
            .protocol(RedisProtocol.RESP2)
            .connectionTimeoutMillis(CONNECT_MILLIS)
            .socketTimeoutMillis(CONNECT_MILLIS)
            .clientName("leasehold")
            .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
            .database(number(rest, "db", 0));
    Login login = Login.of(rest.group("user"), rest.group("password"), environment);
    if (login.password() != null) {
      config.user(login.user()).password(login.password());
    }
    String host = rest.group("host").replaceAll("[\\[\\]]", "");
    return new ServerAddress(new HostAndPort(host, port), config.build(), tls(url));
  }

  Connections connections() {
    JedisSocketFactory sockets =
        tls == null
            ? new DefaultJedisSocketFactory(where, how)
            : new TlsSocketFactory(where, how, tls);
    return new Connections("Redis at " + where, () -> open(sockets));
  }

  /**
   * Where a password has a ? that is not encoded, the rest of it is taken for parameters, and an
   * error would name them.
   */
  private static void refuseSplitPassword(StoreUrl url) {
    boolean split =
        url.parameters().entrySet().stream()
            .anyMatch(
                each ->
                    !PARAMETERS.contains(each.getKey())
                        && (each.getKey() + each.getValue()).contains("@"));
    if (split) {
      throw malformed(url);
    }
  }

  private static IllegalArgumentException malformed(StoreUrl url) {
    // Without the URL: what cannot be read may have a password anywhere.
    return new IllegalArgumentException(
        "the store URL is not "
            + url.scheme()
            + "://[user:password@]host[:port][/database]; percent-encode what is special in user"
            + " and password, as %40 for an @ and %3F for a ?");
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

  private static int number(Matcher rest, String group, int otherwise) {
    String digits = rest.group(group);
    return digits == null || digits.isEmpty() ? otherwise : Integer.parseInt(digits);
  }

  /** Null without TLS. */
  private static @Nullable SSLSocketFactory tls(StoreUrl url) {
    if (url.scheme().equals("rediss")) {
      return TlsFiles.of(url).context().getSocketFactory();
    }
    TlsFiles.requireNone(url, "rediss");
    return null;
  }
}
