package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockSnapshot;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands in etcd, of us and of others; what doctor says of the server. */
class KeysTest extends EtcdTest {
  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_4).start();

  @AfterAll
  void stop() {
    server.close();
  }

  private List<String> keys() {
    return server.etcdctl("get", "--prefix", "--keys-only", prefix()).stream()
        .filter(line -> !line.isEmpty())
        .toList();
  }

  @Test
  void aNameIsReadableAndNoneContainsAnother() throws Exception {
    Engine client = clientAt(server.url());
    try (Lease outer = client.lock("a").acquire();
        Lease inner = client.lock("a/x%2F").acquire()) {
      assertThat(keys())
          .hasSize(2)
          .anyMatch(key -> key.startsWith(prefix() + "a/x-"))
          .anyMatch(key -> key.startsWith(prefix() + "a%2Fx%252F/x-"));
      assertThat(client.list()).extracting(LockSnapshot::name).containsExactly("a", "a/x%2F");
      assertThat(outer.isHeld() && inner.isHeld()).isTrue();
    }
    assertThat(keys()).isEmpty();
  }

  /** etcd remembers deleted keys, and a list of a name takes longer with each. */
  @Test
  void oneLockAfterAnotherHasTheSameKey() throws Exception {
    Engine client = clientAt(server.url());
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      try (Lease held = client.lock("a").acquire()) {
        seen.addAll(keys());
        assertThat(client.list().get(0).holders())
            .extracting(LockSnapshot.Holder::leaseId)
            .containsExactly(held.leaseId());
      }
    }
    assertThat(seen).hasSize(1);
  }

  @Test
  void aForeignKeyUnderALockNameIsRefusedAndLeftAlone() {
    Engine client = clientAt(server.url());
    server.etcdctl("put", prefix() + "a/something", "else");
    assertThatThrownBy(() -> client.lock("a").tryAcquire())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining("a/something");
    requireNothingLeft(client);
    assertThat(keys())
        .filteredOn(key -> !key.contains("%withdrawn/"))
        .containsExactly(prefix() + "a/something");
  }

  @Test
  void aLongerPrefixIsNotInTheWayOfTheList() throws Exception {
    Engine client = clientAt(server.url());
    server.etcdctl("put", prefix() + "more/of/it", "else");
    try (Lease held = client.lock("a").acquire()) {
      assertThat(client.list()).extracting(LockSnapshot::name).containsExactly("a");
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void anOperatorBreaksALease() throws Exception {
    Engine client = clientAt(server.url());
    Lease held = client.lock("a").acquire();
    assertThat(client.lock("a").breakLease(held.fencingToken() + (1 << 10))).isFalse();
    assertThat(client.lock("a").breakLease(held.fencingToken())).isTrue();
    Lease next = clientAt(server.url()).lock("a").acquire(PATIENCE);
    assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
    next.release();
  }

  @Test
  void oneMemberAndAnOldVersionAreWarnings() {
    assertThat(clientAt(server.url()).diagnose())
        .filteredOn(finding -> finding.level() == Level.WARNING)
        .extracting(Finding::check)
        .contains("server", "members");
  }

  @Test
  void anAlarmIsAnErrorAndNothingIsGranted() {
    try (EtcdServer small =
        EtcdServer.of(Kind.ETCD_3_5).option("--quota-backend-bytes=100000").start()) {
      Engine client = clientAt(small.url());
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  small.etcdctl("put", "big" + i, "x".repeat(50_000));
                }
              })
          .hasMessageContaining("space exceeded");
      assertThatThrownBy(() -> client.lock("a").tryAcquire())
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.UNAVAILABLE))
          .hasMessageContaining("space exceeded");
      assertThat(client.diagnose())
          .filteredOn(finding -> finding.level() == Level.ERROR)
          .extracting(Finding::check)
          .contains("alarms");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "etcd:host",
        "etcd://",
        "etcd://a:b:c",
        "etcd://h:2379/db",
        "etcd://u:p@q@h",
        "etcd://:p@h"
      })
  void aUrlThatIsNoneIsRefusedWithoutASecret(String url) {
    assertThatThrownBy(() -> Leasehold.connect(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("p@q");
  }

  @Test
  void aPrefixEndsWithASlash() {
    assertThatThrownBy(() -> Leasehold.connect(server.url() + "?prefix=abc"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("prefix");
  }
}
