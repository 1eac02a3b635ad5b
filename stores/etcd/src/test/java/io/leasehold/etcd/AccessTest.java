package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Users, passwords and permissions. */
class AccessTest extends EtcdTest {
  private static final String PASSWORD = "s3cret p@ss%";

  private final EtcdServer server =
      EtcdServer.of(Kind.ETCD_3_5).option("--auth-token-ttl=3").start();

  AccessTest() {
    String prefix = "app/";
    server.etcdctl("user", "add", "root:" + PASSWORD);
    server.etcdctl("user", "grant-role", "root", "root");
    server.etcdctl("role", "add", "app");
    server.etcdctl("role", "grant-permission", "app", "--prefix=true", "readwrite", prefix);
    server.etcdctl("user", "add", "app:" + PASSWORD);
    server.etcdctl("user", "grant-role", "app", "app");
    server.etcdctl("auth", "enable");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private String url(String login) {
    return server.url().replace("//", "//" + login + "@");
  }

  private Engine app(String prefix) {
    return opened(url("app:s3cret%20p%40ss%25") + "?prefix=" + prefix);
  }

  private Engine opened(String url) {
    Engine client =
        (Engine) io.leasehold.Leasehold.builder(url).ttl(Duration.ofMinutes(10)).build();
    return client;
  }

  @Test
  void withThePasswordItLocks() throws Exception {
    try (Engine client = app("app/")) {
      Lease held = client.lock("a").acquire();
      try (Engine other = app("app/")) {
        CompletableFuture<Lease> waiter = beginToWait(other.lock("a"), client, 1);
        held.release();
        served(waiter).release();
      }
    }
  }

  @Test
  void anotherPasswordIsRefusedAndNotTold() {
    assertThatThrownBy(() -> opened(url("app:wrong") + "?prefix=app/"))
        .isInstanceOfSatisfying(
            StoreException.class,
            refused -> {
              assertThat(refused.failure()).isEqualTo(Failure.REFUSED);
              assertThat(refused.toString()).doesNotContain("wrong");
            });
  }

  @Test
  void withoutAPasswordItIsRefused() {
    assertThatThrownBy(() -> opened(server.url()).lock("a").acquire())
        .isInstanceOfSatisfying(
            StoreException.class,
            refused -> assertThat(refused.failure()).isEqualTo(Failure.REFUSED));
  }

  @Test
  void anotherPrefixIsRefused() {
    try (Engine client = app("other/")) {
      assertThatThrownBy(() -> client.lock("a").acquire())
          .isInstanceOfSatisfying(
              StoreException.class,
              refused -> assertThat(refused.failure()).isEqualTo(Failure.REFUSED))
          .hasMessageContaining("permission denied");
    }
  }

  /** A token of this server ends after three seconds. */
  @Test
  void aForgottenLoginIsRenewed() throws Exception {
    try (Engine client = app("app/")) {
      client.lock("b").acquire().release();
      pass(Duration.ofSeconds(5));
      Lease held = client.lock("b").acquire();
      CompletableFuture<Lease> waiter = beginToWait(client.lock("b"), client, 0);
      held.release();
      served(waiter).release();
    }
  }

  @Test
  void whatMayNotBeAskedIsAWarning() {
    try (Engine client = app("app/")) {
      assertThat(client.diagnose())
          .filteredOn(finding -> finding.check().equals("server"))
          .extracting(Finding::level)
          .containsExactly(Level.OK);
    }
  }
}
