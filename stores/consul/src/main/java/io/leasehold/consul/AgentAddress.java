package io.leasehold.consul;

import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.TlsFiles;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.http.HttpHost;
import org.jspecify.annotations.Nullable;

/**
 * Where an agent is, and how to come in: a URL taken apart.
 *
 * @param token the ACL token, if there is one
 * @param query what the query of every request begins with: nothing, or the datacenter
 * @param tls null without TLS
 */
record AgentAddress(HttpHost host, @Nullable String token, String query, @Nullable SSLContext tls) {
  private static final Set<String> PARAMETERS =
      Set.of("token", "dc", "prefix", "ca", "cert", "key");
  private static final Pattern REST =
      Pattern.compile("//(\\[[0-9A-Fa-f:.]+]|[^@:/,\\[\\]]+)(?::(\\d{1,5}))?/?");

  /**
   * Reads a URL.
   *
   * @param environment where the token is taken from if the URL has none
   * @throws IllegalArgumentException if it is malformed; the message has no secrets
   */
  static AgentAddress of(StoreUrl url, Map<String, String> environment) {
    url.requireOnly(PARAMETERS);
    Matcher rest = REST.matcher(url.rest());
    String dc = url.parameter("dc").orElse("");
    String token = url.parameter("token").orElse(environment.get("LEASEHOLD_PASSWORD"));
    int port = !rest.matches() ? 0 : rest.group(2) == null ? 8500 : Integer.parseInt(rest.group(2));
    if (port < 1 || port > 65_535 || !dc.matches("[\\w-]*")) {
      throw new IllegalArgumentException(
          "the store URL is not " + url.scheme() + "://host[:port][?token=…&dc=…] of one agent");
    }
    if (token != null && !token.matches("[!-~]+")) {
      throw new IllegalArgumentException("the ACL token has characters that no token has");
    }
    boolean secure = url.scheme().equals("consuls");
    if (!secure) {
      TlsFiles.requireNone(url, "consuls");
    }
    return new AgentAddress(
        new HttpHost(secure ? "https" : "http", rest.group(1).replaceAll("[\\[\\]]", ""), port),
        token,
        dc.isEmpty() ? "" : "?dc=" + dc,
        secure ? TlsFiles.of(url).context() : null);
  }
}
