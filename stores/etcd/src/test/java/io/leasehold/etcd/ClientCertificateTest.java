package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import io.leasehold.servers.LockTool;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A cluster that lets in only clients with its certificate, and users that have a password. */
class ClientCertificateTest extends EtcdTest {
  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).clientCertificates().start();

  /** The keys of {@code etcdctl lock jobs/a}, and what the page says beside them. */
  @BeforeAll
  void makeUsers() {
    server.etcdctl("role", "add", "app");
    for (String keys : new String[] {"app/jobs/a/", "app/%withdrawn-"}) {
      server.etcdctl("role", "grant-permission", "app", "--prefix=true", "readwrite", keys);
    }
    server.etcdctl("user", "add", "app:secret");
    server.etcdctl("user", "grant-role", "app", "app");
    server.etcdctl("user", "add", "root:secret");
    server.etcdctl("user", "grant-role", "root", "root");
    server.etcdctl("auth", "enable");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private String url(String user, String more) {
    return server.url().replace("//", "//" + user + ":secret@") + "?ca=" + server.caFile() + more;
  }

  private String own() {
    return "&cert=" + server.caFile() + "&key=" + server.keyFile();
  }

  @Test
  void withTheCertificateItLocks() throws Exception {
    Engine client = clientAt(url("root", own()));
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter =
        beginToWait(clientAt(url("root", own())).lock("a"), client, 1);
    held.release();
    served(waiter).release();
    assertThat(client.diagnose()).isNotEmpty();
  }

  @Test
  void withoutTheCertificateItIsNotLetIn() {
    assertThatThrownBy(() -> clientAt(url("root", "")))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE));
  }

  @Test
  void withItsPermissionsAUserTakesTheLocksOfEtcdctl() throws Exception {
    String url = url("app", own()) + "&layout=etcd&prefix=app/";
    try (Engine client = (Engine) io.leasehold.Leasehold.connect(url);
        LockTool theirs = server.etcdctlLock("app/jobs/a", "--user=root:secret").awaitHeld()) {
      assertThat(client.lock("jobs/a").tryAcquire()).isEmpty();
      CompletableFuture<Lease> waiter = beginToWait(client.lock("jobs/a"), client, 1);
      theirs.end();
      served(waiter).release();
      assertThatThrownBy(() -> client.lock("jobs/b").tryAcquire())
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
          .hasMessageContaining("permission denied");
    }
  }
}
