package io.leasehold.spi.support;

import io.leasehold.spi.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The server that a store URL names: {@code scheme://[user:password@]host[:port]}.
 *
 * @param host a name or an address, without brackets
 * @param user empty for none
 * @param password empty for none
 */
public record ServerUrl(String host, int port, String user, String password) {
  private static final Pattern REST =
      Pattern.compile(
          "//(?:(?<user>[^@:/]*):(?<password>[^@/]*)@)?"
              + "(?<host>\\[[0-9A-Fa-f:.]+]|[^@:/,\\[\\]]+)(?::(?<port>\\d{1,5}))?/?");

  /**
   * Reads a URL.
   *
   * @param usualPort the port of a URL without one
   * @param environment has user and password, {@code LEASEHOLD_USER} and {@code
   *     LEASEHOLD_PASSWORD}, if the URL has none
   * @throws IllegalArgumentException if the URL is not of this form; the message has no secrets
   */
  public static ServerUrl of(StoreUrl url, int usualPort, Map<String, String> environment) {
    String rest = url.rest();
    if (rest.indexOf(',', rest.lastIndexOf('@') + 1) >= 0) {
      throw new IllegalArgumentException(
          "the store URL names several servers: two clients that choose different ones would both"
              + " get a lock, so give one server");
    }
    Matcher parts = REST.matcher(rest);
    int port = parts.matches() ? port(parts.group("port"), usualPort) : 0;
    if (port < 1 || port > 65_535) {
      // Without the URL: what cannot be read may have a password anywhere
      throw new IllegalArgumentException(
          "the store URL is not "
              + url.scheme()
              + "://[user:password@]host[:port]; percent-encode what is special in user and"
              + " password, as %40 for an @ and %3F for a ?");
    }
    String host = parts.group("host").replaceAll("[\\[\\]]", "");
    String password = parts.group("password");
    return password == null
        ? new ServerUrl(
            host,
            port,
            environment.getOrDefault("LEASEHOLD_USER", ""),
            environment.getOrDefault("LEASEHOLD_PASSWORD", ""))
        : new ServerUrl(host, port, decoded(parts.group("user")), decoded(password));
  }

  private static int port(@Nullable String digits, int usualPort) {
    return digits == null ? usualPort : Integer.parseInt(digits);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // Without the cause, which quotes the text
      throw new IllegalArgumentException(
          "user or password of the store URL has a % that is not followed by two hexadecimal digits;"
              + " write %25 for a %");
    }
  }

  /** Host and port, for messages; never user and password. */
  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
