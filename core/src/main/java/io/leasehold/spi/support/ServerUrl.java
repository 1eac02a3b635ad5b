package io.leasehold.spi.support;

import io.leasehold.spi.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The servers that a store URL names, and how to come in: {@code
 * scheme://[user[:password]@]host[:port][,host[:port]...][/path]}. A user or password that the URL
 * lacks comes from the environment, {@code LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}.
 *
 * @param hosts at least one
 * @param path what follows the slash behind them; empty for nothing
 * @param user empty for none
 * @param password empty for none
 * @param tls empty without TLS
 */
public record ServerUrl(
    List<Host> hosts, String path, String user, String password, Optional<TlsFiles> tls) {
  private static final Pattern REST =
      Pattern.compile(
          "//(?:(?<user>[^@:/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^@/]+)(?:/(?<path>[^@]*))?");

  private static final Pattern HOST =
      Pattern.compile("(?<name>\\[[0-9A-Fa-f:.]+]|[^:\\[\\]]+)(?::(?<port>\\d{1,5}))?");

  /**
   * A server.
   *
   * @param name a name or an address, without brackets
   */
  public record Host(String name, int port) {
    /** As a URL has it. */
    @Override
    public String toString() {
      return (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + port;
    }
  }

  /** How the clients of a store log in, if they do. */
  public enum Login {
    /** Not by user and password. */
    NONE,
    /** By a password, with a user or without one. */
    PASSWORD,
    /** By both. */
    BOTH
  }

  /**
   * What the URLs of a store have.
   *
   * @param port that of a server without one
   * @param several whether there may be several servers
   * @param path how the path is called, with its slash; empty if there is none
   * @param secure the scheme with TLS; empty if there is none
   */
  public record Form(int port, boolean several, String path, Login login, String secure) {}

  /**
   * Reads a URL.
   *
   * @param parameters those that it may have, without those of {@link TlsFiles}
   * @throws IllegalArgumentException if it is not of this form; the message has no secrets
   */
  public static ServerUrl of(
      StoreUrl url, Form form, Set<String> parameters, Map<String, String> environment) {
    Matcher rest = REST.matcher(url.rest());
    List<Host> hosts = rest.matches() ? hosts(rest.group("hosts"), form.port) : List.of();
    if (hosts.isEmpty()
        || (rest.group("user") != null && form.login == Login.NONE)
        || (form.path.isEmpty() && !path(rest).isEmpty())) {
      throw malformed(url, form);
    }
    if (hosts.size() > 1 && !form.several) {
      throw new IllegalArgumentException(
          "the store URL names several servers: two clients that choose different ones would both"
              + " get a lock, so give one server");
    }
    Set<String> known = new HashSet<>(parameters);
    if (!form.secure.isEmpty()) {
      known.addAll(TlsFiles.PARAMETERS);
    }
    url.requireOnly(known);
    String user = part(rest, "user", environment.get("LEASEHOLD_USER"));
    String password = part(rest, "password", environment.get("LEASEHOLD_PASSWORD"));
    requireWhole(form.login, user, password);
    return new ServerUrl(hosts, path(rest), user, password, tls(url, form.secure));
  }

  /** Empty if one is malformed. */
  private static List<Host> hosts(String text, int port) {
    List<Host> hosts = Stream.of(text.split(",", -1)).map(each -> host(each, port)).toList();
    return hosts.stream().allMatch(each -> each.port > 0 && each.port <= 65_535)
        ? hosts
        : List.of();
  }

  private static Host host(String text, int port) {
    Matcher parts = HOST.matcher(text);
    if (!parts.matches()) {
      return new Host(text, 0);
    }
    String digits = parts.group("port");
    return new Host(
        parts.group("name").replaceAll("[\\[\\]]", ""),
        digits == null ? port : Integer.parseInt(digits));
  }

  private static String path(Matcher rest) {
    return rest.group("path") == null ? "" : rest.group("path");
  }

  private static String part(Matcher rest, String group, @Nullable String otherwise) {
    String text = rest.group(group);
    if (text == null || text.isEmpty()) {
      return otherwise == null ? "" : otherwise;
    }
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // Without the cause, which quotes the text
      throw new IllegalArgumentException(
          "user or password of the store URL has a % that is not followed by two hexadecimal digits;"
              + " write %25 for a %");
    }
  }

  private static void requireWhole(Login login, String user, String password) {
    if (login != Login.NONE && password.isEmpty() && !user.isEmpty()) {
      throw new IllegalArgumentException(
          "the store URL has a user and no password; set LEASEHOLD_PASSWORD");
    }
    if (login == Login.BOTH && user.isEmpty() && !password.isEmpty()) {
      throw new IllegalArgumentException(
          "the store URL has a password and no user; set LEASEHOLD_USER");
    }
  }

  private static Optional<TlsFiles> tls(StoreUrl url, String secure) {
    if (url.scheme().equals(secure)) {
      return Optional.of(TlsFiles.of(url));
    }
    TlsFiles.requireNone(url, secure);
    return Optional.empty();
  }

  private static IllegalArgumentException malformed(StoreUrl url, Form form) {
    boolean login = form.login != Login.NONE;
    // Without the URL: what cannot be read may have a password anywhere
    return new IllegalArgumentException(
        "the store URL is not "
            + url.scheme()
            + (login ? "://[user:password@]host[:port]" : "://host[:port]")
            + (form.several ? "[,host[:port]...]" : "")
            + (form.path.isEmpty() ? "" : "[" + form.path + "]")
            + (login
                ? "; percent-encode what is special in user and password, as %40 for an @ and %3F"
                    + " for a ?"
                : ""));
  }

  /** The first server, or the only one. */
  public Host host() {
    return hosts.get(0);
  }

  /** Hosts and ports, for messages; never user and password. */
  @Override
  public String toString() {
    return hosts.stream().map(Host::toString).collect(Collectors.joining(","));
  }
}
