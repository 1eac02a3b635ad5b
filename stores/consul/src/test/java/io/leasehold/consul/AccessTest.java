package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server with ACLs that speaks TLS. */
class AccessTest extends ServerTest {
  private static final String ONE = "11111111-0000-0000-0000-000000000001";
  private static final String BLIND = "11111111-0000-0000-0000-000000000002";
  private static final String READS = "11111111-0000-0000-0000-000000000003";

  AccessTest() {
    super(ConsulServer.configured().acl().tls().start());
  }

  @BeforeAll
  void makeTokens() {
    token(ONE, "session_prefix \"\" { policy = \"write\" } key_prefix \"\" { policy = \"write\" }");
    token(BLIND, "session_prefix \"\" { policy = \"write\" }");
    token(READS, "key_prefix \"\" { policy = \"read\" }");
  }

  private void token(String secret, String rules) {
    String name = "policy-" + secret;
    server.put(
        "/v1/acl/policy",
        "{\"Name\":\"" + name + "\",\"Rules\":\"" + rules.replace("\"", "\\\"") + "\"}");
    server.put(
        "/v1/acl/token",
        "{\"SecretID\":\"" + secret + "\",\"Policies\":[{\"Name\":\"" + name + "\"}]}");
  }

  private Engine with(String token) {
    return clientAt(url("127.0.0.1", "&token=" + token), how -> how);
  }

  private String url(String host, String more) {
    return "consuls://" + host + ":" + server.port() + "?ca=" + server.caFile() + more;
  }

  @Test
  void aTokenForSessionsAndKeysIsEnough() throws Exception {
    Engine client = with(ONE);
    client.lock("a").acquire().release();
    client.semaphore("s", 2).acquire().release();
    assertThat(client.list()).isEmpty();
    assertThat(client.diagnose())
        .filteredOn(each -> each.check().equals("server"))
        .extracting(Finding::level)
        .containsExactly(Level.WARNING);
  }

  @Test
  void whatItMayNotDoIsRefusedAndTheTokenIsNotShown() {
    LockClient blind = with(BLIND);
    assertThatThrownBy(() -> blind.lock("a").acquire())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining("ermission denied")
        .hasMessageNotContaining(BLIND);
    for (String token : new String[] {READS, "no-such-token"}) {
      assertThatThrownBy(() -> with(token))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
          .hasMessageNotContaining(token);
    }
  }

  @Test
  void anotherCertificateIsNotTrusted() {
    assertThatThrownBy(
            () -> clientAt("consuls://127.0.0.1:" + server.port() + "?token=" + ONE, how -> how))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("PKIX")
        .hasMessageNotContaining(ONE);
  }

  @Test
  void aCertificateForAnotherHostIsNotTrusted() {
    assertThatThrownBy(() -> clientAt(url("127.0.0.2", "&token=" + ONE), how -> how))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("127.0.0.2");
  }

  @Test
  void whatDoesNotSpeakTlsIsTold() {
    assertThatThrownBy(() -> clientAt("consul://127.0.0.1:" + server.port(), how -> how))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("HTTPS");
  }
}
