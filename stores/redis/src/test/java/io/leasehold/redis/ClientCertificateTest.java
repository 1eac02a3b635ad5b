package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

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
  @SuppressWarnings("deprecation") // since Jedis 8
  void anAddressOfTheApplicationHasOne() throws Exception {
    ServerUrl url =
        ServerUrl.of(
            StoreUrl.parse(
                "rediss://127.0.0.1?ca=" + certificate + "&cert=" + certificate + "&key=" + key),
            new ServerUrl.Form(6379, false, "", ServerUrl.Login.NONE, "rediss"),
            Set.of(),
            Map.of());
    SSLContext context = url.tls().orElseThrow().context();
    DefaultJedisClientConfig config =
        DefaultJedisClientConfig.builder()
            .ssl(true)
            .sslSocketFactory(context.getSocketFactory())
            .build();
    HostAndPort where = new HostAndPort("127.0.0.1", server.port());
    StoreFactory store = RedisStores.at(RedisAddress.of(where, config), prefix());
    Engine client = add(Leasehold.builder(store).ttl(Duration.ofMinutes(10)));
    Lease held = with("&cert=" + certificate + "&key=" + key).lock("a").acquire();
    assertThat(client.lock("a").tryAcquire()).isEmpty();
    held.release();
    client.lock("a").acquire().release();
  }

  @Test
  void aClientWithoutOneIsNot() {
    assertThatThrownBy(() -> with(""))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("give cert and key");
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
