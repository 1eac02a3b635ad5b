package io.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;

/**
 * How to reach a server.
 *
 * @param user empty for the default user
 * @param password empty for none
 * @param certificate of a server with TLS
 */
record RedisAccess(
    String scheme,
    String host,
    int port,
    String user,
    String password,
    Optional<Certificate> certificate) {
  /** To a server on this machine. */
  static RedisAccess local(int port, String password, Optional<Certificate> certificate) {
    String scheme = certificate.isPresent() ? "rediss" : "redis";
    return new RedisAccess(scheme, "127.0.0.1", port, "", password, certificate);
  }

  /** To a server that another process started. */
  static RedisAccess given(URI url) {
    String info = url.getRawUserInfo();
    String[] login = info == null ? new String[] {"", ""} : (info + ":").split(":", -1);
    int port = url.getPort() < 0 ? 6379 : url.getPort();
    return new RedisAccess(
        url.getScheme(), url.getHost(), port, decode(login[0]), decode(login[1]), Optional.empty());
  }

  RedisAccess as(String newUser, String newPassword) {
    return new RedisAccess(scheme, host, port, newUser, newPassword, certificate);
  }

  RedisAccess by(int proxyPort) {
    return new RedisAccess(scheme, "127.0.0.1", proxyPort, user, password, certificate);
  }

  URI url() {
    String login = password.isEmpty() ? "" : encode(user) + ":" + encode(password) + "@";
    return URI.create(scheme + "://" + login + host + ":" + port);
  }

  /** Connects and logs in. */
  RedisCli connect() {
    try {
      RedisCli cli = new RedisCli(sockets().createSocket(host, port));
      if (!password.isEmpty()) {
        try {
          cli.command("AUTH", user.isEmpty() ? "default" : user, password);
        } catch (RuntimeException e) {
          cli.close();
          throw e;
        }
      }
      return cli;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SocketFactory sockets() {
    if (certificate.isPresent()) {
      return certificate.get().trusting().getSocketFactory();
    }
    return scheme.equals("rediss") ? SSLSocketFactory.getDefault() : SocketFactory.getDefault();
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
