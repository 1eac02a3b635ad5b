package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A server that takes only clients with a certificate, as Redis does if it is not told otherwise.
 */
class ClientCertificateTest extends ServerTest {
  private final Path certificate;
  private final Path key;

  ClientCertificateTest() {
    super(RedisServer.of(Kind.REDIS_7_0).tls());
    certificate = server.caFile();
    key = certificate.resolveSibling("server.key");
    String ca = certificate.toString();
    // The test's own connections have none, and end with this.
    assertThat(server.command("CONFIG", "SET", "tls-ca-cert-file", ca, "tls-auth-clients", "yes"))
        .isEqualTo("OK");
  }

  private Engine with(String parameters) {
    String url = "rediss://127.0.0.1:" + server.port() + "?ca=" + certificate + parameters;
    return clientAt(url, how -> how);
  }

  @Test
  void aClientWithOneIsLetIn() throws Exception {
    Engine client = with("&cert=" + certificate + "&key=" + key);
    Engine other = with("&cert=" + certificate + "&key=" + key);
    Lease held = other.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
    held.release();
    served(waiter).release();
  }

  @Test
  void aClientWithoutOneIsNot() {
    assertThatThrownBy(() -> with("")).isInstanceOf(StoreException.class);
  }

  @Test
  void bothFilesAreNeeded() {
    assertThatThrownBy(() -> with("&cert=" + certificate))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cert and key");
  }

  @Test
  void aFileWithoutAKeyIsNamed() {
    assertThatThrownBy(() -> with("&cert=" + certificate + "&key=" + certificate))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(certificate.toString())
        .hasMessageContaining("PKCS #8");
  }
}
