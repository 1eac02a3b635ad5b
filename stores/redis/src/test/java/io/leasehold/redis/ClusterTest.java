package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cluster of one node, which would work until a second is added. */
class ClusterTest extends ServerTest {
  ClusterTest() {
    super(RedisServer.of(Kind.REDIS_7_0).config("cluster-enabled yes"));
    server.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    await()
        .atMost(PATIENCE)
        .until(() -> ((String) server.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
  }

  @Test
  void aNodeOfItIsRefused() {
    requireRefused();
  }

  /** As far as a user may do what locks need, and no more. */
  @Test
  void alsoWhereInfoIsNotPermitted() {
    assertThat(server.command("ACL", "SETUSER", "default", "-info")).isEqualTo("OK");
    requireRefused();
    assertThat(server.command("ACL", "SETUSER", "default", "+info")).isEqualTo("OK");
  }

  private void requireRefused() {
    assertThatThrownBy(this::client)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining("a cluster, which is not supported");
    assertThat((List<?>) server.command("KEYS", "*")).isEmpty();
  }
}
