package io.leasehold.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ConsulServer;
import io.leasehold.servers.LockTool;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An agent that lets in only clients with its certificate, and with a token. */
class ClientCertificateTest extends ServerTest {
  private static final String ONE = "11111111-0000-0000-0000-000000000001";

  ClientCertificateTest() {
    super(
        ConsulServer.configured()
            .acl()
            .clientCertificates()
            .shortestTtl(Duration.ofSeconds(1))
            .start());
  }

  /** What the page says that a lock needs. */
  @BeforeAll
  void makeToken() {
    String rules =
        "session_prefix \\\"\\\" { policy = \\\"write\\\" } "
            + "key_prefix \\\"app/jobs/a/\\\" { policy = \\\"write\\\" } "
            + "key_prefix \\\"leasehold/\\\" { policy = \\\"write\\\" }";
    server.put("/v1/acl/policy", "{\"Name\":\"locks\",\"Rules\":\"" + rules + "\"}");
    server.put(
        "/v1/acl/token", "{\"SecretID\":\"" + ONE + "\",\"Policies\":[{\"Name\":\"locks\"}]}");
  }

  private String url(String more) {
    return server.url() + "?ca=" + server.caFile() + "&token=" + ONE + more;
  }

  private String own() {
    return "&cert=" + server.caFile() + "&key=" + server.keyFile();
  }

  private static Engine at(String url) {
    return (Engine) io.leasehold.Leasehold.connect(url);
  }

  @Test
  void withTheCertificateItLocks() throws Exception {
    try (Engine client = at(url(own()));
        Engine other = at(url(own()))) {
      Lease held = client.lock("a").acquire();
      CompletableFuture<Lease> waiter = beginToWait(other.lock("a"), client);
      held.release();
      served(waiter).release();
    }
  }

  @Test
  void withoutTheCertificateItIsNotLetIn() {
    assertThatThrownBy(() -> at(url("")))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isNotEqualTo(Failure.REFUSED))
        .hasMessageNotContaining(ONE);
  }

  @Test
  void withItsPermissionsATokenTakesTheLocksOfConsulLock() throws Exception {
    try (Engine client = at(url(own()) + "&layout=consul&prefix=app/");
        LockTool theirs = server.consulLock("app/jobs/a").awaitHeld()) {
      assertThat(client.lock("jobs/a").tryAcquire()).isEmpty();
      assertThat(client.lock("jobs/a").inspect().orElseThrow().holders()).hasSize(1);
      theirs.end();
      client.lock("jobs/a").acquire(PATIENCE).release();
      assertThatThrownBy(() -> client.lock("jobs/b").tryAcquire())
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
          .hasMessageNotContaining(ONE);
    }
  }
}
