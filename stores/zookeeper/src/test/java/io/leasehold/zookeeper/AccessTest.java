package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.Finding;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClientBuilder;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.spi.StoreUrl;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Test;

/** Users, paths, limits of a server, and what others have put there. */
class AccessTest extends ZooKeeperTest {
  private String at(String authority, String path) {
    return "zookeeper://" + authority + "127.0.0.1:" + server.port() + path;
  }

  private static void assertRefused(Runnable work, String... words) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContainingAll(words);
  }

  @Test
  void theNodesBelongToTheUser() throws Exception {
    String url = at("ann:s%40crt@", "/team/app" + prefix());
    Engine client = clientAt(url, how -> how);
    Lease held = client.lock("a").acquire();
    String node = "/team/app" + prefix() + prefix() + "/a";
    assertThatThrownBy(() -> plain(zk -> zk.getChildren(node, false)))
        .hasCauseInstanceOf(NoAuthException.class);
    held.release();
    for (String other : List.of("ann:wrong@", "")) {
      assertRefused(() -> clientAt(at(other, "/team/app" + prefix()), how -> how), "ACL", "NOAUTH");
    }
    clientAt(url, how -> how).lock("a").acquire().release();
  }

  @Test
  void whereNothingAnswersOpeningEndsSoon() {
    long begin = System.nanoTime();
    assertThatThrownBy(() -> Leasehold.connect("zookeeper://ann:secret@127.0.0.1:1"))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
        .hasMessageContaining("127.0.0.1:1")
        .hasMessageNotContaining("secret");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
  }

  /** They accept connections, as far as the kernel does, and never read. */
  @Test
  void serversThatSayNothingArePassedOver() throws Exception {
    try (ServerSocket one = silent();
        ServerSocket two = silent()) {
      String silent = "127.0.0.1:" + one.getLocalPort() + ",127.0.0.1:" + two.getLocalPort();
      String url = "zookeeper://" + silent + ",127.0.0.1:" + server.port();
      UnaryOperator<LockClientBuilder> inItsFirstSession = how -> how.ttl(Duration.ofSeconds(30));
      // The library asks them in an order of its choice
      List<CompletableFuture<Engine>> clients =
          Stream.generate(
                  () -> CompletableFuture.supplyAsync(() -> clientAt(url, inItsFirstSession)))
              .limit(4)
              .toList();
      for (CompletableFuture<Engine> client : clients) {
        client.get(60, TimeUnit.SECONDS).lock("a").acquire().release();
      }
    }
  }

  private static ServerSocket silent() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static void acquire(Engine client) {
    try {
      client.lock("a").acquire().release();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTtlOutsideTheLimitsOfTheServerIsRefused() {
    try (ZooKeeperServer small = ZooKeeperServer.start("maxSessionTimeout=5000")) {
      acquire(clientAt(small.url(), how -> how.ttl(Duration.ofSeconds(5))));
      assertRefused(
          () -> acquire(clientAt(small.url(), how -> how)),
          "5000 ms for a ttl of 600000 ms",
          "maxSessionTimeout");
    }
  }

  @Test
  void whatIsNotOursUnderANameIsRefusedAndLeftAlone() throws Exception {
    Engine client = client();
    // While the node of the name is not empty, so that the server does not remove it
    Lease held = client.lock("a").acquire();
    plain(
        zk ->
            zk.create(
                prefix() + "/a/_c_1-lock-0000000001",
                new byte[0],
                Ids.OPEN_ACL_UNSAFE,
                CreateMode.PERSISTENT));
    held.release();
    assertRefused(() -> acquire(client), "nodes that Leasehold has not made");
    assertThat(children("/a")).containsExactly("_c_1-lock-0000000001");
  }

  @Test
  void theServerRemovesTheNodesOfNames() throws Exception {
    Engine client = client();
    Lease first = client.lock("a b/ü").acquire();
    assertThat(children("")).contains("a%20b%2F%C3%BC");
    first.release();
    await().atMost(PATIENCE).until(() -> !children("").contains("a%20b%2F%C3%BC"));
    Lease second = client.lock("a b/ü").acquire();
    assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
    second.release();
  }

  @Test
  void oneServerIsAWarning() {
    assertThat(client().diagnose())
        .extracting(Finding::check, Finding::level)
        .contains(org.assertj.core.groups.Tuple.tuple("ensemble", Finding.Level.WARNING));
  }

  @Test
  void whatAUrlMayBe() {
    for (String good : List.of("//h", "//h:1,i:2,[::1]:3/a/b/", "//u:p%2F@h/x")) {
      assertThat(ZooKeeperStoreProvider.factory(StoreUrl.parse("zookeeper:" + good), Map.of()))
          .isNotNull();
    }
    for (String bad : List.of("h", "//", "//h:x", "//h,", "//u@h", "//h/a/../b", "//u:%zz@h")) {
      assertThatThrownBy(
              () -> ZooKeeperStoreProvider.factory(StoreUrl.parse("zookeeper:" + bad), Map.of()))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageNotContaining("%zz");
    }
  }
}
