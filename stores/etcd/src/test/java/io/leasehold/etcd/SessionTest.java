package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Lease;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Leases of etcd that end, and a server that stands still. */
class SessionTest extends EtcdTest {
  private static final Duration SHORT = Duration.ofSeconds(2);

  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).start();

  @AfterEach
  void goOn() {
    server.process().resume();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private Engine client() {
    return clientAt(server.url());
  }

  private Engine brief() {
    return clientAt(server.url(), how -> how.ttl(SHORT));
  }

  /** Ends all leases of the server. */
  private void revokeAll() {
    for (String line : server.etcdctl("lease", "list")) {
      if (line.matches("[0-9a-f]+")) {
        revoke(line);
      }
    }
  }

  /** One that ends by itself meanwhile is gone as well. */
  private void revoke(String lease) {
    try {
      server.etcdctl("lease", "revoke", lease);
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("not found");
    }
  }

  @Test
  void aSessionThatIsRevokedWhileItsClientIsIdleIsLost() throws Exception {
    Engine client = brief();
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> told = new CompletableFuture<>();
    held.onLost(() -> told.complete(held));
    revokeAll();
    assertThat(served(told).isHeld()).isFalse();
    // In a new session
    Lease again = client.lock("a").acquire(PATIENCE);
    assertThat(again.fencingToken()).isGreaterThan(held.fencingToken());
    again.release();
    requireNothingLeft(client);
  }

  @Test
  void aWaiterWhoseEntryIsDeletedEntersAgain() throws Exception {
    Engine holder = client();
    Lease held = holder.lock("a").acquire();
    Engine client = clientAt(server.url(), how -> how.ttl(Duration.ofSeconds(3)));
    CompletableFuture<Lease> waiter = beginToWait(client.lock("a"), holder, 1);
    server.etcdctl("del", keys().get(1));
    await().until(() -> keys().size() == 2);
    held.release();
    served(waiter).release();
    requireNothingLeft(client);
  }

  private List<String> keys() {
    return server.etcdctl("get", "--prefix", "--keys-only", "--sort-by=CREATE", prefix()).stream()
        .filter(line -> line.startsWith(prefix()))
        .toList();
  }

  @Test
  void aServerThatStandsStillPastTheTtlEndsTheLeaseBeforeTheNextHasIt() throws Exception {
    Engine first = brief();
    Engine second = client();
    Lease held = first.lock("a").acquire();
    CompletableFuture<Lease> waiter = beginToWait(second.lock("a"), second, 1);
    server.process().pause();
    awaitLost(held);
    assertThat(waiter).isNotDone();
    server.process().resume();
    Lease next = served(waiter);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  @Test
  void aShortStandstillHarmsNobody() throws Exception {
    Engine client = clientAt(server.url(), how -> how.ttl(Duration.ofSeconds(6)));
    Lease held = client.lock("a").acquire();
    server.process().pause();
    pass(Duration.ofSeconds(1));
    server.process().resume();
    pass(Duration.ofSeconds(6));
    assertThat(held.isHeld()).isTrue();
    held.release();
  }

  @ParameterizedTest
  @CsvSource({"100, 1000, 2", "500, 5000, 8"})
  void aShorterTtlThanTheServersIsRefused(int heartbeat, int election, int shortest) {
    try (EtcdServer other =
        EtcdServer.of(Kind.ETCD_3_5)
            .option("--heartbeat-interval=" + heartbeat)
            .option("--election-timeout=" + election)
            .start()) {
      assertThatThrownBy(() -> clientAt(other.url(), how -> how.ttl(Duration.ofSeconds(1))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(shortest + "s");
    }
  }

  @Test
  void theSessionEndsWithItsClient() throws Exception {
    Engine observer = client();
    Engine client = client();
    // The lease by which a client learns what the shortest ttl is
    pass(Duration.ofSeconds(3));
    int before = server.etcdctl("lease", "list").size();
    client.lock("a").acquire();
    assertThat(server.etcdctl("lease", "list")).hasSize(before + 1);
    client.close();
    assertThat(server.etcdctl("lease", "list")).hasSize(before);
    observer.lock("a").acquire(PATIENCE).release();
  }
}
