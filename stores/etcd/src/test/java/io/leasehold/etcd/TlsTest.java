package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** {@code etcds://}, with a file of certificates to trust. */
class TlsTest extends EtcdTest {
  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).tls().start();
  private final EtcdServer another = EtcdServer.of(Kind.ETCD_3_5).tls().start();

  @AfterAll
  void stop() {
    server.close();
    another.close();
  }

  private String trusting(Path file) {
    return server.url() + "?ca=" + file;
  }

  @Test
  void theCertificateOfTheFileIsTrusted() throws Exception {
    var client = clientAt(trusting(server.caFile()));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter =
        beginToWait(clientAt(trusting(server.caFile())).lock("a"), client, 1);
    held.release();
    served(waiter).release();
  }

  @Test
  void anotherCertificateIsNot() {
    assertThatThrownBy(() -> clientAt(trusting(another.caFile())))
        .isInstanceOf(StoreException.class);
  }

  @Test
  void withoutAFileTheJdkDecides() {
    assertThatThrownBy(() -> clientAt(server.url())).isInstanceOf(StoreException.class);
  }

  @Test
  void whoDoesNotSpeakItIsTold() {
    assertThatThrownBy(() -> clientAt(server.url().replace("etcds:", "etcd:")))
        .isInstanceOf(StoreException.class);
  }

  @Test
  void aFileThatIsNoneIsNamed() {
    assertThatThrownBy(() -> clientAt(trusting(Path.of("/no/such/file"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/no/such/file");
  }

  @Test
  void filesWithoutTlsAreRefused() {
    assertThatThrownBy(() -> clientAt("etcd://127.0.0.1?ca=" + server.caFile()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("etcds://");
  }
}
