package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.servers.RedisCluster;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.Partitions;
import java.io.File;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/** The TLS of an application's Lettuce client is that of the store, also where Jedis connects. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
class LettuceClusterTest {
  private final RedisCluster cluster = RedisCluster.startWithTls(Kind.REDIS_7_0);
  private final RedisServer node = cluster.primaries().get(0);
  private final File certificate = node.caFile().toFile();
  private final File key = node.caFile().resolveSibling("server.key").toFile();

  LettuceClusterTest() {
    // The test's own connections have no certificate, and end with this
    assertThat(
            node.command(
                "CONFIG", "SET", "tls-ca-cert-file", "" + certificate, "tls-auth-clients", "yes"))
        .isEqualTo("OK");
  }

  @AfterAll
  void close() {
    cluster.close();
  }

  private RedisURI uri(SslVerifyMode verify) {
    return RedisURI.Builder.redis(node.host(), node.port())
        .withSsl(true)
        .withVerifyPeer(verify)
        .build();
  }

  private RedisClusterClient client(SslOptions.Builder tls, SslVerifyMode verify) {
    RedisClusterClient client = RedisClusterClient.create(uri(verify));
    client.setOptions(ClusterClientOptions.builder().sslOptions(tls.build()).build());
    return client;
  }

  private SslOptions.Builder withCertificate() {
    return SslOptions.builder().jdkSslProvider().keyManager(certificate, key, new char[0]);
  }

  private void requireLocks(RedisClusterClient lettuce, SslVerifyMode verify) throws Exception {
    String prefix = verify + ":";
    try (LockClient client =
        Leasehold.builder(LettuceStores.using(lettuce, uri(verify), prefix)).build()) {
      client.lock("a").acquire().release();
    }
  }

  @Test
  void itsCertificatesAreUsed() throws Exception {
    try (RedisClusterClient lettuce =
        client(withCertificate().trustManager(certificate), SslVerifyMode.FULL)) {
      requireLocks(lettuce, SslVerifyMode.FULL);
    }
  }

  @Test
  void whatItDoesNotVerifyIsNotVerified() throws Exception {
    try (RedisClusterClient lettuce = client(withCertificate(), SslVerifyMode.NONE)) {
      requireLocks(lettuce, SslVerifyMode.NONE);
    }
  }

  /** Though it has found the nodes before. */
  @Test
  void whatItDoesNotTrustIsNotTrusted() {
    try (RedisClusterClient trusting =
            client(withCertificate().trustManager(certificate), SslVerifyMode.FULL);
        RedisClusterClient lettuce = client(withCertificate(), SslVerifyMode.FULL)) {
      Partitions nodes = trusting.getPartitions();
      lettuce.setPartitions(nodes);
      requireUnavailable(lettuce, uri(SslVerifyMode.FULL), "PKIX");
    }
  }

  @Test
  void aClusterThatItCannotReachIsUnavailable() {
    RedisURI nowhere = RedisURI.create("redis://127.0.0.1:1");
    try (RedisClusterClient lettuce = RedisClusterClient.create(nowhere)) {
      requireUnavailable(lettuce, nowhere, "Connection refused");
    }
  }

  private static void requireUnavailable(RedisClusterClient lettuce, RedisURI uri, String why) {
    assertThatThrownBy(() -> Leasehold.builder(LettuceStores.using(lettuce, uri)).build().close())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
        .hasMessageContaining(why);
  }
}
