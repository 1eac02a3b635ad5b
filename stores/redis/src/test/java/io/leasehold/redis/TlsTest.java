package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** {@code rediss://}, with a file of certificates to trust. */
class TlsTest extends ServerTest {
  private final RedisServer another = RedisServer.of(Kind.REDIS_7_0).tls().start();

  TlsTest() {
    super(RedisServer.of(Kind.REDIS_7_0).tls().config("bind 127.0.0.1 127.0.0.2"));
  }

  @AfterAll
  void closeOther() {
    another.close();
  }

  private Engine trusting(Path file, String host) {
    String url = "rediss://" + host + ":" + server.port() + "?ca=" + file;
    return clientAt(url, how -> how);
  }

  @Test
  void theCertificateOfTheFileIsTrusted() throws Exception {
    Engine other = trusting(server.caFile(), "127.0.0.1");
    Engine client = trusting(server.caFile(), "localhost");
    Lease held = other.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), other);
    awaitListening();
    held.release();
    served(waiter).release();
  }

  @Test
  void anotherCertificateIsNot() {
    assertThatThrownBy(() -> trusting(another.caFile(), "127.0.0.1"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("no TLS")
        .hasMessageContaining("PKIX");
  }

  @Test
  void withoutAFileTheJdkDecides() {
    assertThatThrownBy(() -> clientAt("rediss://127.0.0.1:" + server.port(), how -> how))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("no TLS");
  }

  @Test
  void aCertificateForAnotherHostIsNot() {
    assertThatThrownBy(() -> trusting(server.caFile(), "127.0.0.2"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("no TLS")
        .hasMessageContaining("127.0.0.2");
  }

  @Test
  void whoDoesNotSpeakItIsTold() {
    assertThatThrownBy(() -> clientAt("redis://127.0.0.1:" + server.port(), how -> how))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("cannot connect");
  }
}
