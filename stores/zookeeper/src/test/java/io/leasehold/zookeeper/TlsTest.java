package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.ZooKeeperServer;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.ServerUrl.Form;
import io.leasehold.spi.support.ServerUrl.Login;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;

/** {@code zookeepers://}, on a server that lets in only clients with its certificate. */
class TlsTest extends ZooKeeperTest {
  TlsTest() {
    super(List.of(ZooKeeperServer.secured()));
  }

  private String url(String more) {
    return server.securedUrl() + "?ca=" + server.caFile() + more;
  }

  private String own() {
    return "&cert=" + server.caFile() + "&key=" + server.keyFile();
  }

  @Test
  void withTheCertificateItLocks() throws Exception {
    Engine client = clientAt(url(own()), how -> how);
    Lease held = client.lock("a").acquire();
    CompletableFuture<Lease> waiter =
        beginToWait(clientAt(url(own()), how -> how).lock("a"), client);
    held.release();
    served(waiter).release();
    requireNoEntry("a");
  }

  @Test
  void withoutTheCertificateItIsNotLetIn() {
    assertThatThrownBy(() -> clientAt(url(""), how -> how)).isInstanceOf(StoreException.class);
  }

  @Test
  void anotherServerIsNotTrusted() {
    try (ZooKeeperServer another = ZooKeeperServer.secured()) {
      String url = another.securedUrl() + "?ca=" + server.caFile() + own();
      assertThatThrownBy(() -> clientAt(url, how -> how)).isInstanceOf(StoreException.class);
    }
  }

  @Test
  void aFileThatIsNoneIsNamed() {
    assertThatThrownBy(() -> clientAt(url("&cert=/no/such/file&key=/no"), how -> how))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/no/such/file");
    assertThatThrownBy(() -> clientAt(server.url() + "?ca=" + server.caFile(), how -> how))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("zookeepers://");
  }

  /** What each of them makes belongs to their user. */
  @Test
  void aUserOfCuratorsLocksIsLetIn() throws Exception {
    ACLProvider acls =
        new ACLProvider() {
          @Override
          public List<ACL> getDefaultAcl() {
            return Ids.CREATOR_ALL_ACL;
          }

          @Override
          public List<ACL> getAclForPath(String path) {
            return Ids.CREATOR_ALL_ACL;
          }
        };
    try (CuratorFramework curator =
        CuratorFrameworkFactory.builder()
            .connectString("127.0.0.1:" + server.port())
            .retryPolicy(new RetryOneTime(100))
            .authorization("digest", "ann:secret".getBytes(java.nio.charset.StandardCharsets.UTF_8))
            .aclProvider(acls)
            .build()) {
      curator.start();
      String ours = url(own()).replace("//", "//ann:secret@") + "&layout=curator-mutex";
      String name = "/jobs/nightly";
      String path = prefix() + name;
      Engine client = clientAt(ours, how -> how);
      Lease held = client.lock(name).acquire();
      assertThatThrownBy(() -> plain(zk -> zk.getChildren(path, false)))
          .hasMessageContaining("NoAuth");
      InterProcessMutex theirs = new InterProcessMutex(curator, path);
      assertThat(theirs.acquire(0, TimeUnit.SECONDS)).isFalse();
      held.release();
      assertThat(theirs.acquire(60, TimeUnit.SECONDS)).isTrue();
      assertThat(client.lock(name).tryAcquire()).isEmpty();
      assertThat(client.list()).singleElement().extracting(seen -> seen.name()).isEqualTo(name);
      theirs.release();
      client.lock(name).tryAcquire().orElseThrow().release();
    }
  }

  @Test
  void theKeyIsKeptEncryptedAndRemoved() throws Exception {
    StoreUrl url = StoreUrl.parse(url(own()));
    ServerUrl servers =
        ServerUrl.of(url, new Form(1, false, "", Login.BOTH, "zookeepers"), Set.of(), Map.of());
    ZKClientConfig config = new ZKClientConfig();
    KeyFile made = KeyFile.of(servers.tls(), config);
    Path file = made.file().orElseThrow();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(load(file, config.getProperty("zookeeper.ssl.keyStore.password")).size())
        .isEqualTo(1);
    assertThatThrownBy(() -> load(file, "")).hasMessageContaining("password");
    made.delete();
    assertThat(file).doesNotExist();
  }

  private static KeyStore load(Path file, String password) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, password.toCharArray());
      return keys;
    }
  }
}
