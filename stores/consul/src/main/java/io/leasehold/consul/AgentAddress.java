package io.leasehold.consul;

import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Login;
import io.leasehold.spi.support.TlsFiles;
import java.util.Map;
import java.util.Set;
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
  private static final Set<String> PARAMETERS = Set.of("token", "dc", "prefix", "layout");
  private static final Form FORM = new Form(8500, false, "", Login.NONE, "consuls");

  /**
   * Reads a URL.
   *
   * @param environment where the token is taken from if the URL has none
   * @throws IllegalArgumentException if it is malformed; the message has no secrets
   */
  static AgentAddress of(StoreUrl url, Map<String, String> environment) {
    ServerUrl agent = ServerUrl.of(url, FORM, PARAMETERS, environment);
    String dc = url.parameter("dc").orElse("");
    String token = url.parameter("token").orElse(environment.get("LEASEHOLD_PASSWORD"));
    if (!dc.matches("[\\w-]*") || (token != null && !token.matches("[!-~]+"))) {
      throw new IllegalArgumentException(
          "the datacenter or the ACL token of the store URL has characters that none has");
    }
    String scheme = agent.tls().isPresent() ? "https" : "http";
    return new AgentAddress(
        new HttpHost(scheme, agent.host().name(), agent.host().port()),
        token,
        dc.isEmpty() ? "" : "?dc=" + dc,
        agent.tls().map(TlsFiles::context).orElse(null));
  }
}
